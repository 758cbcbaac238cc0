# Overload Playground. Two commands matter: `make serve` and `make test`.

PATH := $(CURDIR)/.tools:$(CURDIR)/node_modules/.bin:$(PATH)
SHELL := /bin/bash
RAW := target/wasm32-unknown-unknown/release/overload-playground.wasm
UNXZ := node_modules/xz-decompress/dist/package/xz-decompress.min.js
# Everything that the site is made of.
SOURCES := $(shell find src style public index.html Cargo.toml Cargo.lock Trunk.toml .cargo -type f)

.PHONY: serve dev dist test native check bench single-file tools clean
.DEFAULT_GOAL := serve

## Builds the playground and serves it on a free port, which it prints.
serve: dist
	node tests/browser/server.mjs dist $(PORT)

## Builds the folder dist/ for any static host, under any path.
dist: dist/index.html
dist/index.html: $(SOURCES) | tools
	cargo fetch --quiet --locked
	trunk build
	@printf 'dist: %s bytes of WASM, %s gzipped\n' "$$(cat dist/*_bg.wasm | wc -c)" "$$(gzip -9c dist/*_bg.wasm | wc -c)"

## Everything in one file that opens from the disk and in a sandboxed frame. Fails above 1.5 MB.
single-file: dist-single/overload-playground.html
dist-single/overload-playground.html: dist/index.html
	@mkdir -p target/single
	wasm-bindgen --target no-modules --no-typescript --out-dir target/single --out-name app $(RAW)
	wasm-opt -O3 target/single/app_bg.wasm -o target/single/app.wasm
	cargo run --locked --quiet -p overload-cli -- single-file dist target/single/app.js target/single/app.wasm $(UNXZ) $@

## Rebuilds on every change. (It answers 200 for anything: never test against it.)
dev: | tools
	cargo fetch --quiet --locked
	trunk serve --open=false

# Browser tests that look at the clock; the others may run beside each other.
ALONE := $(patsubst %,tests/browser/%.test.mjs,heavy newest sight)

## Everything: format, lints, docs, native tests, the build, the one file, browser tests.
test:
	.ci/tools test
	# Beside each other: the linker of the one has a single core busy for minutes.
	$(MAKE) --jobs=2 --output-sync=line native single-file
	cargo build --locked --quiet -p overload-cli
	node --test --test-concurrency=2 $(filter-out $(ALONE),$(wildcard tests/browser/*.test.mjs))
	node --test --test-concurrency=1 $(ALONE)

native: check
	cargo test --locked --quiet --workspace --exclude overload-benches

## Format, lints with warnings as errors (native and browser), docs without warnings.
check: | tools
	cargo fmt --all --check
	# A macro declares the cards, so `cargo fmt` does not see them.
	rustfmt --edition 2024 --check src/cards/*/mod.rs
	cargo clippy --locked --quiet --workspace --all-targets -- -D warnings
	cargo clippy --locked --quiet -p overload-playground -p overload-ui --target wasm32-unknown-unknown -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --locked --quiet --workspace --no-deps --document-private-items

## Ratios, side by side in one run: the engine and its peers, each card, and the browser.
bench: dist
	.ci/tools test
	cargo run --locked --quiet --release -p overload-benches
	cargo build --locked --quiet --release --target wasm32-unknown-unknown -p overload-bench-wasm
	node tests/browser/bench.mjs

tools:
	.ci/tools build

clean:
	cargo clean
	rm -rf dist dist-single

//! Knobs, setups and the seed.

use leptos::prelude::*;
use overload_cards::knobs::{Field, Kind, Number, Opt, Refusal, What, equal};
use overload_cards::link::State;
use overload_chart::{Lang, Text};

use crate::shell::icon;
use crate::store::Store;
use crate::words;

/// The setups as buttons. None is pressed once a knob differs. A phone shows the first few and folds the others away.
#[component]
pub fn Setups(store: Store) -> impl IntoView {
    let lang = store.lang;
    const FIRST: usize = 4;
    let setups = store.card.setups();
    let all = RwSignal::new(setups.len() <= FIRST + 1);
    let more = format!("{} ({})", words::ALL_SETUPS.get(lang), setups.len());
    let buttons = setups.into_iter().enumerate().map(|(i, setup)| {
        let knobs = StoredValue::new(setup.knobs);
        let seed = setup.seed;
        let later = i >= FIRST;
        let pressed = move || store.state.with(|now| knobs.with_value(|knobs| equal(&*now.knobs, &**knobs)));
        let choose = move |_| store.load(State { knobs: knobs.get_value(), seed });
        view! {
            <button
                type="button"
                class="btn"
                class:later=later
                data-setup=setup.key
                aria-pressed=move || pressed().to_string()
                disabled=move || !store.live.get()
                on:click=choose
            >
                {setup.label.get(lang)}
            </button>
        }
    });
    view! {
        <div class="setups" class:open=move || all.get() role="group" aria-label=words::SETUPS.get(lang)>
            <span>{words::START_FROM.get(lang)}</span>
            {buttons.collect_view()}
            <button
                type="button"
                class="btn all"
                aria-expanded="false"
                disabled=move || !store.live.get()
                on:click=move |_| all.set(true)
            >
                {more}
            </button>
        </div>
    }
    .into_any()
}

/// All knobs, under their headings; those for later are folded away.
#[component]
pub fn Knobs(store: Store) -> impl IntoView {
    let lang = store.lang;
    let fields = Memo::new(move |_| store.fields());
    let defaults = StoredValue::new(overload_cards::knobs::fields(&mut *store.card.knobs()));
    // The order and number of fields never change, so controls are made once.
    let mut groups: Vec<(Field, Vec<usize>)> = Vec::new();
    for (i, field) in fields.get_untracked().into_iter().enumerate() {
        match groups.last_mut() {
            Some((head, members)) if head.group == field.group => members.push(i),
            _ => groups.push((field, vec![i])),
        }
    }
    let groups = groups.into_iter().map(|(head, members)| {
        let title = head.group.get(lang);
        let knobs = members.into_iter().map(|i| view! { <Knob store fields defaults i /> }).collect_view();
        if head.more {
            view! {
                <details class="more">
                    <summary>{title}</summary>
                    <fieldset>
                        <legend class="vh">{title}</legend>
                        <div>{knobs}</div>
                    </fieldset>
                </details>
            }
            .into_any()
        } else {
            view! {
                <fieldset>
                    <legend>{title}</legend>
                    <div>{knobs}</div>
                </fieldset>
            }
            .into_any()
        }
    });
    view! { <div class="knobs">{groups.collect_view()}</div> }.into_any()
}

/// One knob, by its place in the list of fields.
#[component]
fn Knob(store: Store, fields: Memo<Vec<Field>>, defaults: StoredValue<Vec<Field>>, i: usize) -> impl IntoView {
    let Some(field) = fields.with_untracked(|all| all.get(i).cloned()) else { return ().into_any() };
    // One signal a knob: turning one leaves the others' controls alone.
    let mine = Memo::new(move |_| fields.with(|all| all.get(i).cloned()));
    let of = Of { store, mine, defaults, i, key: StoredValue::new(field.key.clone()) };
    let inner = match field.what.clone() {
        What::Number(spec, _) => number(of, spec, &field).into_any(),
        What::Choice(options, _) if options.len() <= 5 => radios(of, &options, &field).into_any(),
        What::Choice(options, _) => select(of, &options, &field).into_any(),
        What::Switch(_) => switch(of, &field).into_any(),
    };
    view! { <div data-knob=field.key hidden=move || !of.field(|f| f.shown)>{inner}</div> }.into_any()
}

/// What every control needs to know of its field.
#[derive(Clone, Copy)]
struct Of {
    store: Store,
    mine: Memo<Option<Field>>,
    defaults: StoredValue<Vec<Field>>,
    i: usize,
    key: StoredValue<String>,
}

impl Of {
    fn field<T>(self, read: impl FnOnce(&Field) -> T) -> T {
        self.mine.with(|field| match field {
            Some(field) => read(field),
            None => self.defaults.with_value(|all| read(&all[self.i])), // the number of fields never changes
        })
    }
    fn default_value(self) -> String {
        self.defaults.with_value(|all| all[self.i].value())
    }
    fn changed(self) -> bool {
        self.field(Field::value) != self.default_value()
    }
    fn set(self, text: &str) -> Result<(), Box<Refusal>> {
        self.key.with_value(|key| self.store.set(key, text))
    }
    fn disabled(self) -> bool {
        !self.store.live.get()
    }
    fn id(self, part: &str) -> String {
        self.key.with_value(|key| format!("k-{key}{part}"))
    }
}

/// Label · reset · number · unit, then − · slider · +.
fn number(of: Of, spec: Number, field: &Field) -> impl IntoView {
    let lang = of.store.lang;
    let stops = StoredValue::new(spec.stops());
    let last = stops.with_value(Vec::len) - 1;
    let nearest = move |value: u64| {
        stops.with_value(|stops| {
            let at = stops.partition_point(|&s| s < value);
            let closer_below = at > 0 && (at == stops.len() || value - stops[at - 1] < stops[at] - value);
            if closer_below { at - 1 } else { at.min(stops.len() - 1) }
        })
    };
    let stored = move || of.field(|f| if let What::Number(_, value) = f.what { value } else { 0 });
    let at_stop = move |i: usize| stops.with_value(|stops| stops.get(i).copied().unwrap_or(spec.max));
    // Text under way and why it was refused; the last good value stays until the text is valid.
    let draft = RwSignal::new(None::<String>);
    let refused = RwSignal::new(None::<String>);
    let take = move |text: String| {
        match of.set(&lang.plain(&text)) {
            Ok(()) => refused.set(None),
            Err(refusal) => refused.set(Some(refusal.say(lang))),
        }
        draft.set(Some(text));
    };
    let settle = move || {
        draft.set(None);
        refused.set(None);
    };
    let set_stored = move |value: u64| {
        settle();
        let _ = of.set(&spec.write(value)); // a stop lies in the range
    };
    let step = move |up: bool| {
        let now = stored();
        let next = stops.with_value(|stops| {
            if up { stops.iter().find(|&&s| s > now).copied() } else { stops.iter().rev().find(|&&s| s < now).copied() }
        });
        if let Some(next) = next {
            set_stored(next);
        }
    };
    let default_stop = {
        let text = of.default_value();
        let value = spec.read(&text).map_or(spec.min, |v| v.clamp(0, i128::from(u64::MAX)) as u64);
        nearest(value) as f64 / last.max(1) as f64
    };
    // A finger that came to scroll has moved the thumb by the time the browser finds that out: the value goes back.
    let held = StoredValue::new(None::<u64>);
    let share = move || nearest(stored()) as f64 / last.max(1) as f64;
    let name = field.name(lang);
    let unit = move || spec.unit.word(&spec.write(stored()), lang);
    let (id, why_id) = (of.id(""), of.id("-why"));
    let describe = StoredValue::new(why_id.clone());
    let hint = field.hint.get(lang);
    let [less_name, more_name] = [words::LESS, words::MORE].map(|word| format!("{}: {name}", word.get(lang)));
    view! {
        <div class="knob" class:changed=move || of.changed() class:error=move || refused.with(Option::is_some)>
            <div class="top">
                <label for=id.clone()>
                    {name.clone()} {(!hint.is_empty()).then(|| view! { <small>{hint}</small> })}
                </label>
                {reset(of, &name, settle)}
                <input
                    class="num"
                    id=id
                    type="text"
                    // A time or a rate may bring its own unit, in letters.
                    inputmode=if matches!(spec.kind, Kind::Duration | Kind::Rate) { "text" } else { "decimal" }
                    autocomplete="off"
                    spellcheck="false"
                    value=lang.typed(&spec.write(stored()))
                    prop:value=move || draft.get().unwrap_or_else(|| lang.typed(&spec.write(stored())))
                    disabled=move || of.disabled()
                    aria-invalid=move || refused.with(Option::is_some).then_some("true")
                    aria-describedby=move || refused.with(Option::is_some).then(|| describe.get_value())
                    on:input:target=move |ev| take(ev.target().value())
                    on:blur=move |_| {
                        if refused.with_untracked(Option::is_none) {
                            draft.set(None);
                        }
                    }
                    on:keydown=move |ev| match ev.key().as_str() {
                        "Escape" => settle(),
                        "ArrowUp" => {
                            ev.prevent_default();
                            step(true);
                        }
                        "ArrowDown" => {
                            ev.prevent_default();
                            step(false);
                        }
                        "Enter" if refused.with_untracked(Option::is_none) => draft.set(None),
                        _ => {}
                    }
                />
                <span class="unit">{unit}</span>
            </div>
            <button
                type="button"
                class="btn"
                data-do="less"
                aria-label=less_name
                disabled=move || of.disabled()
                on:click=move |_| step(false)
            >
                {icon("minus")}
            </button>
            <span class="rng" style:--d=move || of.store.live.get().then(|| default_stop.to_string())>
                <input
                    type="range"
                    min="0"
                    max=last.to_string()
                    step="1"
                    value=nearest(stored()).to_string()
                    prop:value=move || nearest(stored()).to_string()
                    style:--v=move || of.store.live.get().then(|| share().to_string())
                    aria-label=name
                    aria-valuetext=move || spec.say(stored(), lang)
                    disabled=move || of.disabled()
                    on:pointerdown=move |_| held.set_value(Some(stored()))
                    on:pointercancel=move |_| {
                        if let Some(value) = held.get_value() {
                            set_stored(value);
                        }
                    }
                    on:input:target=move |ev| {
                        if let Ok(stop) = ev.target().value().parse::<usize>() {
                            set_stored(at_stop(stop));
                        }
                    }
                />
            </span>
            <button
                type="button"
                class="btn"
                data-do="more"
                aria-label=more_name
                disabled=move || of.disabled()
                on:click=move |_| step(true)
            >
                {icon("plus")}
            </button>
            <span class="why" id=why_id>{move || refused.get()}</span>
        </div>
    }
    .into_any()
}

/// Back to the default; `first` clears what the control holds beside its knob.
fn reset(of: Of, name: &str, first: impl Fn() + Send + 'static) -> AnyView {
    let name = format!("{}: {name}", words::RESET.get(of.store.lang));
    let click = move |_| {
        first();
        let _ = of.set(&of.default_value()); // the default lies in the range
    };
    view! {
        <button
            type="button"
            class="btn quiet reset"
            data-do="reset"
            aria-label=name
            disabled=move || of.disabled()
            on:click=click
        >
            {icon("reset")}
        </button>
    }
    .into_any()
}

fn chosen(of: Of) -> usize {
    of.field(|f| if let What::Choice(_, index) = f.what { index } else { 0 })
}

/// A choice among few.
fn radios(of: Of, options: &[Opt], field: &Field) -> impl IntoView {
    let lang = of.store.lang;
    let name = of.id("");
    let rows = options.iter().enumerate().map(|(i, option)| {
        let key = option.key;
        let hint = option.hint.get(lang);
        view! {
            <label>
                <input
                    type="radio"
                    name=name.clone()
                    value=key
                    checked=move || chosen(of) == i
                    prop:checked=move || chosen(of) == i
                    disabled=move || of.disabled()
                    on:change=move |_| drop(of.set(key))
                />
                <span>{option.label.get(lang)} {(!hint.is_empty()).then(|| view! { <small>{hint}</small> })}</span>
            </label>
        }
    });
    let label = field.name(lang);
    view! {
        <fieldset class="choice" class:changed=move || of.changed()>
            <legend>{label.clone()}</legend>
            {reset(of, &label, || ())}
            {rows.collect_view()}
        </fieldset>
    }
    .into_any()
}

/// A choice among many.
fn select(of: Of, options: &[Opt], field: &Field) -> impl IntoView {
    let lang = of.store.lang;
    let id = of.id("");
    let now = untrack(|| chosen(of));
    let rows = options.iter().enumerate().map(|(i, option)| {
        view! {
            <option value=option.key selected=i == now>
                {option.label.get(lang)}
            </option>
        }
    });
    let rows = rows.collect_view();
    let value = move || of.field(Field::value);
    let hints = StoredValue::new(options.iter().map(|o| o.hint.get(lang)).collect::<Vec<_>>());
    view! {
        <div class="knob pick" class:changed=move || of.changed()>
            <div class="top">
                <label for=id.clone()>
                    {field.name(lang)} <small>{move || hints.with_value(|h| h[chosen(of)])}</small>
                </label>
            </div>
            <select
                class="field"
                id=id
                disabled=move || of.disabled()
                prop:value=value
                on:change:target=move |ev| drop(of.set(&ev.target().value()))
            >
                {rows}
            </select>
        </div>
    }
    .into_any()
}

/// On or off.
fn switch(of: Of, field: &Field) -> impl IntoView {
    let lang = of.store.lang;
    let on = move || of.field(|f| f.what == What::Switch(true));
    let hint = field.hint.get(lang);
    view! {
        <label class="switch" class:changed=move || of.changed()>
            <input
                type="checkbox"
                role="switch"
                checked=on
                prop:checked=on
                disabled=move || of.disabled()
                on:change=move |_| drop(of.set(if on() { "off" } else { "on" }))
            />
            <span>{field.name(lang)} {(!hint.is_empty()).then(|| view! { <small>{hint}</small> })}</span>
        </label>
    }
    .into_any()
}

/// The seed: typed, or a new one.
#[component]
pub fn Seed(store: Store) -> impl IntoView {
    let lang = store.lang;
    let draft = RwSignal::new(None::<String>);
    let refused = RwSignal::new(None::<String>);
    let shown = move || draft.get().unwrap_or_else(|| store.state.with(|s| s.seed.to_string()));
    let take = move |text: String| {
        match store.set_seed(&text) {
            Ok(()) => refused.set(None),
            Err(refusal) => refused.set(Some(refusal.say(lang))),
        }
        draft.set(Some(text));
    };
    let settle = move || {
        draft.set(None);
        refused.set(None);
    };
    view! {
        <span class="grp">
            <label for="seed">{words::SEED.get(lang)}</label>
            <input
                class="field"
                id="seed"
                type="text"
                inputmode="numeric"
                autocomplete="off"
                value=shown()
                prop:value=shown
                disabled=move || !store.live.get()
                aria-invalid=move || refused.with(Option::is_some).then_some("true")
                aria-describedby="seed-why"
                on:input:target=move |ev| take(ev.target().value())
                on:blur=move |_| {
                    if refused.with_untracked(Option::is_none) {
                        draft.set(None);
                    }
                }
                on:keydown=move |ev| {
                    if ev.key() == "Escape" {
                        settle();
                    }
                }
            />
            <button
                type="button"
                class="btn"
                aria-label=words::NEW_SEED.get(lang)
                disabled=move || !store.live.get()
                on:click=move |_| {
                    settle();
                    let _ = store.set_seed(&crate::browser::fresh_seed().to_string());
                }
            >
                {words::NEW.get(lang)}
            </button>
            <span class="why" id="seed-why">{move || refused.get()}</span>
        </span>
    }
    .into_any()
}

/// How many seeds, their progress, and cancel.
#[component]
pub fn SeedRuns(store: Store) -> impl IntoView {
    let lang = store.lang;
    let choice = move |n: u32| {
        view! {
            <button
                type="button"
                class="btn"
                data-seeds=n.to_string()
                aria-pressed=move || (store.seeds.get().wanted == n).to_string()
                disabled=move || !store.live.get()
                on:click=move |_| store.want_seeds(n)
            >
                {lang.number(f64::from(n), 0)}
            </button>
        }
    };
    let under_way = move || store.busy.get().or(store.seeds.get().share);
    view! {
        {store
            .card
            .seeds()
            .then(|| {
                view! {
                    <span class="grp">
                        <span>{words::SEEDS.get(lang)}</span>
                        <span class="seg">{[1, 20, 200].map(choice).collect_view()}</span>
                    </span>
                }
            })}
        <span class="seeds" class:idle=move || under_way().is_none()>
            <progress
                class="prog"
                max="1"
                prop:value=move || under_way().unwrap_or(0.0)
                aria-label=words::SEEDS.get(lang)
            ></progress>
            <button
                type="button"
                class="btn"
                data-do="cancel"
                disabled=move || under_way().is_none()
                on:click=move |_| store.cancel()
            >
                {words::CANCEL.get(lang)}
            </button>
        </span>
    }
    .into_any()
}

/// What the link said that could not be used.
#[component]
pub fn Notices(store: Store) -> impl IntoView {
    let lang: Lang = store.lang;
    let rows = move || {
        store
            .notices
            .get()
            .into_iter()
            .enumerate()
            .map(|(i, refusal)| {
                let text = refusal.say(lang);
                view! {
                    <li>
                        <span>{text.clone()}</span>
                        <button
                            type="button"
                            class="btn quiet"
                            aria-label=format!("{}: {text}", words::DISMISS.get(lang))
                            on:click=move |_| store.notices.update(|all| drop(all.remove(i)))
                        >
                            {icon("close")}
                        </button>
                    </li>
                }
            })
            .collect_view()
    };
    let any = move || store.notices.with(|all| !all.is_empty());
    let notices = move || any().then(|| view! { <ul class="notices" aria-label=words::NOTICES.get(lang)>{rows}</ul> });
    notices.into_any()
}

/// A button that sets knobs as they are named beside it: an experiment's, or those of an article's setup.
pub fn set_button(store: Store, what: Text, set: impl Fn() + 'static) -> impl IntoView {
    let lang = store.lang;
    view! {
        <button
            type="button"
            class="btn"
            aria-label=format!("{}: {}", words::SET.get(lang), what.get(lang))
            disabled=move || !store.live.get()
            on:click=move |_| set()
        >
            {words::SET.get(lang)}
        </button>
    }
}

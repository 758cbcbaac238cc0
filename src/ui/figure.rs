//! A chart on the page: the still that was drawn when the page was written, and in the browser a canvas over it, with
//! crosshair, legend, table and files.

use std::sync::Arc;

use gloo_timers::callback::Timeout;
use leptos::html::{Canvas, Div};
use leptos::prelude::*;
use overload_chart::{Chart, Geometry, Lang, Mark, Paint, svg, svg_file};
use wasm_bindgen::prelude::*;

use crate::browser::{self, canvas, files, pace, window};
use crate::store::Store;
use crate::words;

/// The widths that stills are drawn for, with the class that shows each.
pub const STILLS: [(f64, &str); 3] = [(344.0, "v v-s"), (690.0, "v v-m"), (960.0, "v v-l")];

/// The name of a mark that can be hidden.
fn name_of(mark: &Mark) -> Option<(&str, Paint)> {
    match mark {
        Mark::Bars { name, paint, .. }
        | Mark::Line { name, paint, .. }
        | Mark::Dots { name, paint, .. }
        | Mark::Area { name, paint, .. } => Some((name, *paint)),
        _ => None,
    }
}

/// Names and looks of a chart's series, each once.
fn series(chart: &Chart) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    for mark in chart.panels.iter().flat_map(|p| &p.marks) {
        let Some((name, paint)) = name_of(mark) else { continue };
        if !name.is_empty() && !all.iter().any(|known| known.name == name) {
            // A chart's legend may say more than the series' short name.
            let said = chart.legend.iter().find(|(p, _)| *p == paint).map_or(name, |(_, text)| text);
            all.push(Series {
                name: name.into(),
                said: said.into(),
                paint,
                bar: matches!(mark, Mark::Bars { .. } | Mark::Dots { .. } | Mark::Area { .. }),
            });
        }
    }
    all
}

#[derive(Clone, PartialEq)]
struct Series {
    name: String,
    said: String,
    paint: Paint,
    bar: bool,
}

/// A chart and its hash: two are the same where the hashes are.
#[derive(Clone)]
struct Drawn {
    hash: u64,
    chart: Arc<Chart>,
}

/// A hash as text.
fn hex(hash: u64) -> String {
    format!("{hash:016x}")
}

impl PartialEq for Drawn {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
    }
}

/// A chart of the view, by its place.
#[component]
pub fn Figure(store: Store, i: usize) -> impl IntoView {
    let lang = store.lang;
    let hidden = RwSignal::new(Vec::<String>::new());
    let at = RwSignal::new(None::<(usize, f64)>);
    let canvas_ref = NodeRef::<Canvas>::new();
    let plot_ref = NodeRef::<Div>::new();
    // A chart of another name in its place is another chart, with a box of its own size.
    let id = Memo::new(move |_| store.view.with(|view| view.charts.get(i).map_or("", |c| c.id)));

    // What is drawn: the view's chart without the series that the reader hid.
    let drawn = Memo::new(move |_| {
        let mut chart = store.view.with(|view| view.charts.get(i).cloned())?;
        hidden.with(|hidden| {
            if !hidden.is_empty() {
                for panel in &mut Arc::make_mut(&mut chart).panels {
                    panel.marks.retain(|m| name_of(m).is_none_or(|(n, _)| !hidden.iter().any(|h| h == n)));
                }
            }
        });
        Some(Drawn { hash: chart.hash(), chart })
    });
    let chart = Signal::derive(move || drawn.with(|d| d.as_ref().map(|d| d.chart.clone())));
    let text = move |read: fn(&Chart) -> &String| {
        move || chart.with(|c| c.as_ref().map_or(String::new(), |c| read(c).clone()))
    };

    // Measured when the box changes, not at each step of a drag: asking makes the browser lay the page out at once.
    let measured = StoredValue::new(None::<(f64, f64)>);
    // A chart off the screen is drawn when it comes near, or once the hand rests: a drag draws what can be seen.
    let near = StoredValue::new(true);
    let stale = StoredValue::new(false);
    let rest = StoredValue::new_local(None::<Timeout>);
    let paint = move || {
        let (Some(canvas), Some(Drawn { hash, chart })) = (canvas_ref.get_untracked(), drawn.get_untracked()) else {
            return;
        };
        stale.set_value(false);
        let size = measured.get_value().unwrap_or_else(|| {
            let now = (f64::from(canvas.client_width()), f64::from(canvas.client_height()));
            measured.set_value(Some(now));
            now
        });
        canvas::paint(&canvas, &chart, lang, size);
        // For tests: what the pixels show, which for a chart off the screen may be older than what the figure says.
        let _ = canvas.set_attribute("data-painted", &hex(hash));
    };
    let catch_up = move || {
        if stale.try_get_value() == Some(true) {
            paint();
        }
    };
    Effect::new(move |_| {
        drawn.track();
        if canvas_ref.get().is_none() {
            return;
        }
        stale.set_value(true);
        if near.get_value() {
            pace::draw(i, catch_up);
        } else {
            rest.set_value(Some(Timeout::new(500, catch_up)));
        }
    });
    // The moment that the page looks at, on charts over its time.
    let now = Memo::new(move |_| store.cursor.get().filter(|_| store.timed.with_value(|ids| ids.contains(&id.get()))));
    Effect::new(move |_| {
        drawn.track();
        let (Some(now), Some(chart)) = (now.get(), chart.get_untracked()) else { return };
        place_now(plot_ref, &chart, now, measured.get_value());
    });
    on_resize(plot_ref, move || {
        measured.set_value(None);
        place_cross(plot_ref, chart.get_untracked(), at.get_untracked());
        if let (Some(now), Some(chart)) = (now.get_untracked(), chart.get_untracked()) {
            place_now(plot_ref, &chart, now, None);
        }
        paint();
    });
    on_theme(paint);
    on_near(plot_ref, move |now| {
        near.set_value(now);
        if now && stale.get_value() {
            paint();
        }
    });
    Effect::new(move |_| {
        drawn.track();
        place_cross(plot_ref, chart.get_untracked(), at.get());
    });

    let move_to = move |ev: web_sys::PointerEvent| {
        // Within the read-out the reading stays as it is, or it would run away from the pointer.
        let target = ev.target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
        if target.is_some_and(|t| t.closest(".readout").ok().flatten().is_some()) {
            return;
        }
        let (Some(plot), Some(chart)) = (plot_ref.get_untracked(), chart.get_untracked()) else { return };
        let place = plot.get_bounding_client_rect();
        let (x, y) = (f64::from(ev.client_x()) - place.left(), f64::from(ev.client_y()) - place.top());
        let geometry = geometry_in(&plot, &chart);
        // Beside the axes the last reading stays: a pointer on its way into the read-out may cross them.
        if let Some(found) = geometry.at(&chart, x, y).and_then(|(p, v)| Some((p, chart.nearest(p, v)?))) {
            at.set(Some(found));
        }
    };
    let pick = move |ev: web_sys::PointerEvent| {
        move_to(ev);
        if let (Some((_, position)), true) = (at.get_untracked(), now.with_untracked(Option::is_some)) {
            store.cursor.set(Some(position.floor()));
        }
    };
    // A cell of a heat map sets the knobs that lead there.
    let open = move |x: f64, y: f64| {
        let (Some(plot), Some(chart)) = (plot_ref.get_untracked(), chart.get_untracked()) else { return };
        if let Some(link) = geometry_in(&plot, &chart).link(&chart, x, y) {
            store.load_pairs(link);
        }
    };
    let opens = Memo::new(move |_| chart.with(|c| c.as_ref().is_some_and(|c| c.has_links())));
    on_escape(move || {
        if at.get_untracked().is_some() {
            at.set(None);
        }
    });
    let step = move |by: i64| {
        let Some(chart) = chart.get_untracked() else { return };
        let (panel, now) = at.get_untracked().unwrap_or((0, f64::NEG_INFINITY));
        let stops = chart.stops(panel);
        let here = stops.iter().position(|&s| s >= now).unwrap_or(0) as i64;
        let end = stops.len().max(1) as i64 - 1;
        let mut next = if now == f64::NEG_INFINITY { 0 } else { (here + by).clamp(0, end) };
        // On to the next stop that reads differently: rounded, many read the same.
        let read = |stop: i64| stops.get(stop as usize).map(|&stop| chart.readout(panel, stop, lang));
        if by.abs() == 1 && now != f64::NEG_INFINITY {
            let before = read(here);
            while next > 0 && next < end && read(next) == before {
                next += by;
            }
        }
        at.set(stops.get(next as usize).map(|&stop| (panel, stop)));
    };
    let readout = move || {
        let (panel, position) = at.get()?;
        let rows = chart.with(|c| c.as_ref().map(|c| c.readout(panel, position, lang)))?;
        // Many side by side, or they would hang out of the plot.
        let many = rows.len() > 9;
        let rows = rows.into_iter().map(|(name, value)| view! { <dt>{name}</dt> <dd>{value}</dd> });
        Some(view! { <dl class:many=many>{rows.collect_view()}</dl> })
    };
    let read_aloud = move || {
        let Some((panel, position)) = at.get() else { return String::new() };
        let rows = chart.with(|c| c.as_ref().map(|c| c.readout(panel, position, lang))).unwrap_or_default();
        rows.into_iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
    };

    // From the view, not from what is drawn: a hidden series must stay in reach. Runs seldom change it.
    let all = Memo::new(move |_| store.view.with(|view| view.charts.get(i).map(|c| series(c)).unwrap_or_default()));
    // What else the legend explains: looks in lanes, which cannot be hidden.
    let others = Memo::new(move |_| {
        let said = |c: &Arc<Chart>| {
            c.legend.iter().filter(|(p, _)| all.with(|s| s.iter().all(|s| s.paint != *p))).cloned().collect()
        };
        store.view.with(|view| view.charts.get(i).map_or(Vec::new(), said))
    });
    let legend = move || {
        let (all, others) = (all.get(), others.get());
        (all.len() > 1 || !others.is_empty()).then(|| {
            // One series alone needs no switch.
            let all = if all.len() > 1 { all } else { Vec::new() };
            let others =
                others.into_iter().map(|(paint, text)| view! { <span class="key">{swatch(paint, true)} {text}</span> });
            let buttons = all.into_iter().map(|Series { name, said, paint, bar }| {
                let shown = {
                    let name = name.clone();
                    move || hidden.with(|h| !h.contains(&name))
                };
                let toggle = {
                    let name = name.clone();
                    move |_| {
                        hidden.update(|h| match h.iter().position(|n| *n == name) {
                            Some(at) => drop(h.remove(at)),
                            None => h.push(name.clone()),
                        });
                    }
                };
                view! {
                    <button
                        type="button"
                        class="btn"
                        aria-pressed=move || shown().to_string()
                        disabled=move || !store.live.get()
                        on:click=toggle
                    >
                        {swatch(paint, bar)} {said}
                    </button>
                }
            });
            view! {
                <div class="legend" role="group" aria-label=words::SERIES.get(lang)>
                    {buttons.collect_view()} {others.collect_view()}
                </div>
            }
        })
    };

    let stills = move || {
        // Drawn once a chart, for the box's size and for readers without script; redrawn only for print.
        id.track();
        let chart = store.view.with_untracked(|view| view.charts.get(i).cloned());
        chart.map_or(String::new(), |c| STILLS.iter().map(|(width, class)| svg(&c, lang, *width, class)).collect())
    };
    on_print(plot_ref, move || chart.get_untracked(), lang);
    let table_open = RwSignal::new(false);
    let table = move || (table_open.get() || !store.live.get()).then(|| chart.get().map(|c| data_table(store, &c)));
    let file = move |extension: &str| {
        let pairs = store.pairs();
        let state = if pairs.is_empty() { String::new() } else { format!("-{pairs}") };
        format!("{}-{}{state}.{extension}", store.card.about().slug, id.get_untracked())
    };
    // What goes out of the page says where it comes from.
    let picture = move || chart.get_untracked().map(|c| svg_file(&c, lang, 960.0, &browser::page_link(store, false)));
    let keys_id = format!("{}-keys", id.get_untracked());
    let title = text(|c| &c.title);
    view! {
        <figure class="fig" data-chart=move || id.get() data-hash=move || drawn.with(|d| d.as_ref().map(|d| hex(d.hash)))>
            <figcaption>
                <b>{title}</b>
                <span>{text(|c| &c.note)}</span>
            </figcaption>
            // The read-out lies in the plot: the pointer may go into it.
            <div
                class="plot"
                class:live=move || store.live.get()
                class:computing=move || store.busy.get().is_some()
                node_ref=plot_ref
                on:pointermove=move_to
                on:pointerdown=pick
                on:pointerleave=move |ev| {
                    // A finger that lifts leaves its reading standing.
                    if ev.pointer_type() == "mouse" {
                        at.set(None);
                    }
                }
            >
                <div class="stills" inner_html=stills aria-hidden=move || store.live.get().then_some("true")></div>
                {move || {
                    store
                        .live
                        .get()
                        .then(|| {
                            view! {
                                <canvas
                                    node_ref=canvas_ref
                                    role="img"
                                    tabindex="0"
                                    aria-label=move || chart.with(|c| c.as_ref().map_or(String::new(), |c| c.spoken(lang)))
                                    aria-describedby=keys_id.clone()
                                    class:opens=move || opens.get()
                                    on:click=move |ev| open(f64::from(ev.offset_x()), f64::from(ev.offset_y()))
                                    on:blur=move |_| at.set(None)
                                    on:keydown=move |ev| {
                                        match ev.key().as_str() {
                                            "ArrowRight" => step(1),
                                            "ArrowLeft" => step(-1),
                                            "Home" => step(i64::MIN / 2),
                                            "End" => step(i64::MAX / 2),
                                            _ => return,
                                        }
                                        ev.prevent_default();
                                    }
                                ></canvas>
                                <span class="vh" id=keys_id.clone()>{words::CHART_KEYS.get(lang)}</span>
                                <div class="now" hidden=move || now.with(Option::is_none)></div>
                                <div class="cross" hidden=move || at.get().is_none()></div>
                                <div class="readout" hidden=move || at.get().is_none()>{readout}</div>
                                <p class="vh" aria-live="polite">{read_aloud}</p>
                            }
                        })
                }}
            </div>
            {legend}
            <div class="under">
                <details class="more data" on:toggle:target=move |ev| {
                    let details: web_sys::HtmlDetailsElement = ev.target().unchecked_into();
                    table_open.set(details.open());
                }>
                    <summary>{words::DATA_TABLE.get(lang)}</summary>
                    <div
                        class="table-view"
                        role="region"
                        tabindex="0"
                        aria-label=move || format!("{}: {}", words::DATA_TABLE.get(lang), title())
                    >
                        {table}
                    </div>
                </details>
                {move || {
                    store
                        .live
                        .get()
                        .then(|| {
                            let save_svg = move |_| {
                                if let Some(svg) = picture() {
                                    files::save_text(&file("svg"), "image/svg+xml", &svg);
                                }
                            };
                            let save_csv = move |_| {
                                if let Some(c) = chart.get_untracked() {
                                    files::save_text(&file("csv"), "text/csv;charset=utf-8", &c.csv());
                                }
                            };
                            let save_png = move |_| {
                                if let Some(svg) = picture() {
                                    files::save_png(&file("png"), &svg);
                                }
                            };
                            view! {
                                <span class="row tight">
                                    <button type="button" class="btn" data-do="svg" on:click=save_svg>{words::SVG.get(lang)}</button>
                                    <button type="button" class="btn" data-do="png" on:click=save_png>{words::PNG.get(lang)}</button>
                                    <button type="button" class="btn" data-do="csv" on:click=save_csv>{words::CSV.get(lang)}</button>
                                </span>
                            }
                        })
                }}
            </div>
        </figure>
    }
    .into_any()
}

/// A small sample of a series' look: a bar, or a line.
fn swatch(paint: Paint, bar: bool) -> impl IntoView {
    if !bar {
        return line_swatch(paint).into_any();
    }
    let look = paint.fill();
    let fill = match look.hatch() {
        Some(hatch) => format!("url(#{})", hatch.id()),
        None => format!("var({})", look.token.name()),
    };
    view! {
        <svg width="20" height="10" viewBox="0 0 20 10" aria-hidden="true" focusable="false">
            <rect width="20" height="10" fill=fill></rect>
        </svg>
    }
    .into_any()
}

fn line_swatch(paint: Paint) -> impl IntoView {
    let look = paint.stroke();
    let dash = look.dash().iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
    view! {
        <svg width="20" height="10" viewBox="0 0 20 10" aria-hidden="true" focusable="false">
            <path
                d="M0 5H20"
                fill="none"
                stroke=format!("var({})", look.token.name())
                stroke-width=paint.width().to_string()
                stroke-dasharray=(!dash.is_empty()).then_some(dash)
                stroke-linecap=look.round().then_some("round")
            ></path>
        </svg>
    }
    .into_any()
}

/// The data behind a chart.
fn data_table(store: Store, chart: &Chart) -> impl IntoView + use<> {
    let table = chart.table(store.lang);
    let names = table.head.clone();
    let head = table.head.into_iter().map(|h| view! { <th scope="col">{h}</th> }).collect_view();
    let rows = table.rows.into_iter().map(|row| {
        let mut cells = row.into_iter();
        let first = cells.next().unwrap_or_default();
        let cells = cells.zip(names.iter().skip(1)).map(|(cell, column)| {
            // By keyboard one gets there from here.
            let inner = match chart.link(&first, column).map(str::to_string) {
                Some(link) => {
                    let href = format!("#{link}");
                    let open = move |ev: web_sys::MouseEvent| {
                        ev.prevent_default();
                        store.load_pairs(&link);
                    };
                    view! { <a href=href on:click=open>{cell}</a> }.into_any()
                }
                None => cell.into_any(),
            };
            view! { <td class="n">{inner}</td> }
        });
        let cells = cells.collect_view();
        view! {
            <tr>
                <th scope="row">{first}</th>
                {cells}
            </tr>
        }
    });
    // Browsers let a link that is partly in sight get the focus where it is.
    let into_sight = |ev: web_sys::FocusEvent| {
        let link = ev.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        let view = link.as_ref().and_then(|link| link.closest(".table-view").ok().flatten());
        let (Some(link), Some(view)) = (link, view) else { return };
        let (link, seen) = (link.get_bounding_client_rect(), view.get_bounding_client_rect());
        let over = (link.right() - seen.right()).max(0.0) - (seen.left() - link.left()).max(0.0);
        if over != 0.0 {
            view.set_scroll_left(view.scroll_left() + (over + 12.0 * over.signum()) as i32);
        }
    };
    view! {
        <table on:focusin=into_sight>
            <caption>{table.caption}</caption>
            <thead>
                <tr>{head}</tr>
            </thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    }
    .into_any()
}

/// Where things lie in the box as it is now.
fn geometry_in(plot: &web_sys::HtmlElement, chart: &Chart) -> Geometry {
    Geometry::of(chart, f64::from(plot.client_width()), f64::from(plot.client_height()))
}

/// Puts reading line and read-out where they belong.
fn place_cross(plot_ref: NodeRef<Div>, chart: Option<Arc<Chart>>, at: Option<(usize, f64)>) {
    let (Some(plot), Some(chart), Some((panel, position))) = (plot_ref.get_untracked(), chart, at) else { return };
    let geometry = geometry_in(&plot, &chart);
    let (width, height) = (geometry.width, geometry.height);
    let Some([(x0, y0), (x1, y1)]) = geometry.cross(&chart, panel, position) else { return };
    let style = |selector: &str| {
        let found = plot.query_selector(selector).ok().flatten();
        found.map(|e| e.unchecked_into::<web_sys::HtmlElement>())
    };
    if let Some(cross) = style(".cross") {
        let style = cross.style();
        for (name, value) in [("left", x0), ("top", y0), ("width", (x1 - x0).max(1.0)), ("height", (y1 - y0).max(1.0))]
        {
            let _ = style.set_property(name, &format!("{value:.1}px"));
        }
    }
    if let Some(readout) = style(".readout") {
        let style = readout.style();
        // On the side where there is room; along a row, at its end.
        let row = x1 - x0 > 1.0;
        let (left, to_right) = if row {
            ("auto".to_string(), format!("{:.1}px", (width - x1).max(0.0) + 8.0))
        } else if x0 > width / 2.0 {
            ("auto".to_string(), format!("{:.1}px", width - x0 + 8.0))
        } else {
            (format!("{:.1}px", x1.max(x0) + 8.0), "auto".to_string())
        };
        let _ = style.set_property("left", &left);
        let _ = style.set_property("right", &to_right);
        let below = if row { 8.0 } else { 0.0 };
        let _ = style.set_property("top", &format!("{:.1}px", (y0 + below).clamp(0.0, height)));
    }
}

/// Puts the line of the page's moment where it belongs, in every panel. `size`: the box's, where it is known.
fn place_now(plot_ref: NodeRef<Div>, chart: &Chart, now: f64, size: Option<(f64, f64)>) {
    let Some(plot) = plot_ref.get_untracked() else { return };
    let geometry = match size {
        Some((width, height)) => Geometry::of(chart, width, height),
        None => geometry_in(&plot, chart),
    };
    let ends = [0, geometry.frames.len().saturating_sub(1)].map(|panel| geometry.cross(chart, panel, now));
    let ([Some([(x, y0), _]), Some([_, (_, y1)])], Ok(Some(line))) = (ends, plot.query_selector(".now")) else {
        return;
    };
    let style = line.unchecked_into::<web_sys::HtmlElement>().style();
    for (name, value) in [("left", x), ("top", y0), ("height", y1 - y0)] {
        let _ = style.set_property(name, &format!("{value:.1}px"));
    }
}

/// Calls `f` when the box changes its size.
fn on_resize(plot_ref: NodeRef<Div>, f: impl Fn() + Copy + 'static) {
    Effect::new(move |_| {
        let Some(plot) = plot_ref.get() else { return };
        let callback = Closure::<dyn Fn()>::new(f);
        let Ok(observer) = web_sys::ResizeObserver::new(callback.as_ref().unchecked_ref()) else { return };
        observer.observe(&plot);
        keep(callback, move || observer.disconnect());
    });
    // The ratio changes without the box: another monitor. A query holds for one ratio, so each change asks the next.
    let ratio = RwSignal::new(1.0);
    Effect::new(move |_| {
        ratio.track();
        let query = format!("(resolution: {}dppx)", window().device_pixel_ratio());
        let Ok(Some(query)) = window().match_media(&query) else { return };
        let callback = Closure::<dyn Fn()>::new(move || {
            f();
            ratio.set(window().device_pixel_ratio());
        });
        let function: js_sys::Function = callback.as_ref().unchecked_ref::<js_sys::Function>().clone();
        let _ = query.add_event_listener_with_callback("change", &function);
        keep(callback, move || drop(query.remove_event_listener_with_callback("change", &function)));
    });
}

/// Calls `f` when the box comes near the screen, and when it goes.
pub fn on_near(plot_ref: NodeRef<Div>, f: impl Fn(bool) + Copy + 'static) {
    Effect::new(move |_| {
        let Some(plot) = plot_ref.get() else { return };
        let callback = Closure::<dyn Fn(js_sys::Array)>::new(move |entries: js_sys::Array| {
            let last: web_sys::IntersectionObserverEntry =
                entries.get(entries.length().saturating_sub(1)).unchecked_into();
            f(last.is_intersecting());
        });
        let options = web_sys::IntersectionObserverInit::new();
        options.set_root_margin("200px");
        let made = web_sys::IntersectionObserver::new_with_options(callback.as_ref().unchecked_ref(), &options);
        let Ok(observer) = made else { return };
        observer.observe(&plot);
        keep(callback, move || observer.disconnect());
    });
}

/// Calls `f` when colours change: the page's own switch, the system's wish, forced colours.
fn on_theme(f: impl Fn() + Copy + 'static) {
    Effect::new(move |_| {
        let callback = Closure::<dyn Fn()>::new(move || {
            canvas::forget_theme();
            f();
        });
        let function: js_sys::Function = callback.as_ref().unchecked_ref::<js_sys::Function>().clone();
        let _ = window().add_event_listener_with_callback("themechange", &function);
        let queries: Vec<_> = ["(prefers-color-scheme: dark)", "(forced-colors: active)", "(prefers-contrast: more)"]
            .iter()
            .filter_map(|q| window().match_media(q).ok().flatten())
            .collect();
        for query in &queries {
            let _ = query.add_event_listener_with_callback("change", &function);
        }
        keep(callback, move || {
            let _ = window().remove_event_listener_with_callback("themechange", &function);
            for query in &queries {
                let _ = query.remove_event_listener_with_callback("change", &function);
            }
        });
    });
}

/// Calls `f` when Escape is pressed, wherever the focus is: a reading that the mouse opened has none.
fn on_escape(f: impl Fn() + Copy + 'static) {
    on_window("keydown", move |event| {
        if event.unchecked_into::<web_sys::KeyboardEvent>().key() == "Escape" {
            f();
        }
    });
}

/// Before printing, the stills become what is on the screen.
fn on_print(plot_ref: NodeRef<Div>, chart: impl Fn() -> Option<Arc<Chart>> + Copy + 'static, lang: Lang) {
    on_window("beforeprint", move |_| {
        let (Some(plot), Some(chart)) = (plot_ref.get_untracked(), chart()) else { return };
        if let Ok(Some(stills)) = plot.query_selector(".stills") {
            let all: String = STILLS.iter().map(|(width, class)| svg(&chart, lang, *width, class)).collect();
            stills.set_inner_html(&all);
        }
    });
}

/// Calls `f` at an event of the window, as long as the component lives.
fn on_window(event: &'static str, f: impl Fn(web_sys::Event) + Copy + 'static) {
    Effect::new(move |_| {
        let callback = Closure::<dyn Fn(web_sys::Event)>::new(f);
        let function: js_sys::Function = callback.as_ref().unchecked_ref::<js_sys::Function>().clone();
        let _ = window().add_event_listener_with_callback(event, &function);
        keep(callback, move || drop(window().remove_event_listener_with_callback(event, &function)));
    });
}

/// Keeps a callback as long as the component, then calls `end` and drops it.
fn keep<T: ?Sized + 'static>(callback: Closure<T>, end: impl FnOnce() + 'static) {
    let kept = send_wrapper::SendWrapper::new((callback, end));
    on_cleanup(move || {
        let (callback, end) = kept.take();
        end();
        drop(callback);
    });
}

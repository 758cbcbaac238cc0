//! The walkthrough: question, guess, reveal, follow-up, and the answer to be spoken.

use leptos::prelude::*;
use overload_cards::card::{Guess, Step};
use overload_cards::knobs::AnyKnobs;
use overload_chart::Lang;

use crate::store::Store;
use crate::view::View;
use crate::words;

/// All steps of the card's walkthrough, one shown at a time.
#[component]
pub fn Walkthrough(store: Store) -> impl IntoView {
    let lang = store.lang;
    let steps = store.card.walkthrough();
    let at = RwSignal::new(0usize);
    let buttons = (0..steps.len()).map(|i| {
        view! {
            <button
                type="button"
                class="btn"
                aria-current=move || (at.get() == i).then_some("step")
                disabled=move || !store.live.get()
                on:click=move |_| at.set(i)
            >
                {i + 1}
            </button>
        }
    });
    let buttons = buttons.collect_view();
    let panes = steps.into_iter().enumerate().map(|(i, step)| {
        view! {
            <div class="two" hidden=move || at.get() != i>
                <One store step i />
            </div>
        }
    });
    let panes = panes.collect_view();
    view! {
        <section class="walk" aria-labelledby="walk-title">
            <h2 id="walk-title">
                <span>{words::WALK.get(lang)}</span>
                <span class="steps" role="group" aria-label=words::STEPS.get(lang)>
                    {buttons}
                </span>
            </h2>
            {panes}
            <details>
                <summary>{words::SPOKEN.get(lang)}</summary>
                <p class="measure">{store.card.spoken().get(lang)}</p>
            </details>
        </section>
    }
    .into_any()
}

#[component]
fn One(store: Store, step: Step<Box<dyn AnyKnobs>>, i: usize) -> impl IntoView {
    let lang = store.lang;
    let Step { question, guess, reveal, answer, follow_up } = step;
    // The run that was shown at the reveal: the explanation speaks of it, whatever the knobs do afterwards.
    let revealed = RwSignal::new(None::<String>);
    let value = RwSignal::new(guess.map_or(0.0, |g| g.range.0)); // an end: the middle would give the answer away
    let reveal = StoredValue::new(reveal);
    let open = move |_| {
        let state = store.state.get_untracked();
        let mut knobs = state.knobs;
        if let Some(set) = reveal.get_value() {
            knobs = set;
        }
        store.set_all(knobs.clone());
        let view = View::run(store.card, overload_cards::link::State { knobs, seed: state.seed }, lang);
        let verdict = guess.map_or(String::new(), |g| verdict(&view, &g, value.get_untracked(), lang));
        if let Some(g) = guess {
            store.keep_guess(g.figure, value.get_untracked());
        }
        revealed.set(Some(format!("{verdict}{}", view.fill(answer.get(lang), lang))));
    };
    let id = format!("guess-{i}");
    let unit = guess.and_then(|g| store.card.plan(&*store.card.knobs()).find(g.figure).map(|f| f.unit));
    let say = move |v: f64| unit.map_or_else(|| lang.number(v, 0), |unit| unit.write(v, lang));
    let guessing = guess.map(|g| {
        let (min, max, step) = g.range;
        let set = move |text: &str| {
            if let Ok(v) = text.parse::<f64>()
                && v.is_finite()
            {
                value.set(v.clamp(min, max));
            }
        };
        let share = move || (value.get() - min) / (max - min);
        view! {
            <div class="guess">
                <div class="row">
                    <label for=id.clone()>{words::GUESS.get(lang)}</label>
                    <span class="rng">
                        <input
                            type="range"
                            id=id
                            min=min.to_string()
                            max=max.to_string()
                            step=step.to_string()
                            value=min.to_string()
                            prop:value=move || value.get().to_string()
                            style:--v=move || store.live.get().then(|| share().to_string())
                            aria-valuetext=move || say(value.get())
                            disabled=move || !store.live.get()
                            on:input:target=move |ev| set(&ev.target().value())
                        />
                    </span>
                    <output>{move || say(value.get())}</output>
                </div>
            </div>
        }
    });
    let (asked, good) = follow_up;
    view! {
        <div>
            <p class="q">{question.get(lang)}</p>
            {guessing}
            <p class="row">
                <button
                    type="button"
                    class="btn"
                    data-do="reveal"
                    aria-pressed=move || revealed.with(Option::is_some).to_string()
                    disabled=move || !store.live.get()
                    on:click=open
                >
                    {move || if revealed.with(Option::is_some) { words::REVEALED } else { words::REVEAL }.get(lang)}
                </button>
            </p>
            {move || revealed.get().map(|text| view! { <div class="answer"><p>{text}</p></div> })}
        </div>
        <div>
            <p class="q">{words::FOLLOW_UP.get(lang)}": "{asked.get(lang)}</p>
            <details>
                <summary>{words::GOOD_ANSWER.get(lang)}</summary>
                <p>{good.get(lang)}</p>
            </details>
        </div>
    }
    .into_any()
}

/// How far off the guess was.
fn verdict(view: &View, guess: &Guess, value: f64, lang: Lang) -> String {
    let (Some(spec), Some(actual)) = (view.plan.find(guess.figure), view.outcome.get(&view.plan, guess.figure)) else {
        return String::new();
    };
    let off = value - actual;
    if off.abs() < guess.range.2 / 2.0 {
        return format!("{} ", words::YES_EXACTLY.get(lang));
    }
    let by = spec.unit.write(off.abs(), lang);
    match (off > 0.0, lang) {
        (true, Lang::En) => format!("You were {by} too high. "),
        (false, Lang::En) => format!("You were {by} too low. "),
        (true, Lang::Vi) => format!("Bạn đoán cao hơn {by}. "),
        (false, Lang::Vi) => format!("Bạn đoán thấp hơn {by}. "),
    }
}

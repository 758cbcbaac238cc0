//! The worker's side: the same WASM, without a window.
//!
//! Messages are arrays. To the worker: `["order", lane, number, slug, pairs, seeds]`, `["cancel", lane]`.
//! Back: `["ready"]` once, then `[lane, number, share, Float64Array]`.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Float64Array};
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use crate::jobs::{Jobs, Lane, Order, Report};

/// How long a slice works before the worker looks for messages.
const SLICE_MS: f64 = 16.0;

/// Serves jobs for ever. Called where there is no window.
pub fn serve() {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let jobs = Rc::new(RefCell::new(Jobs::default()));
    let working = Rc::new(RefCell::new(false));

    let on_message = Closure::<dyn Fn(MessageEvent)>::new({
        let scope = scope.clone();
        move |event: MessageEvent| {
            match Message::read(&event.data()) {
                Some(Message::Order(order)) => jobs.borrow_mut().submit(order),
                Some(Message::Cancel(lane)) => jobs.borrow_mut().cancel(lane),
                None => return,
            }
            if !working.replace(true) {
                work(scope.clone(), jobs.clone(), working.clone());
            }
        }
    });
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget(); // lives as long as the worker
    let _ = scope.post_message(&Array::of1(&"ready".into()));
}

/// One slice, and the next one after the messages that came meanwhile.
fn work(scope: DedicatedWorkerGlobalScope, jobs: Rc<RefCell<Jobs>>, working: Rc<RefCell<bool>>) {
    let end = js_sys::Date::now() + SLICE_MS;
    let report = jobs.borrow_mut().slice(|| js_sys::Date::now() < end);
    if let Some(report) = report {
        let values = Float64Array::from(&report.values[..]);
        let message = Array::of4(&(report.lane as u8).into(), &report.number.into(), &report.share.into(), &values);
        let _ = scope.post_message_with_transfer(&message, &Array::of1(&values.buffer()));
    }
    if jobs.borrow().idle() {
        working.replace(false);
        return;
    }
    let again = Closure::once_into_js({
        let scope = scope.clone();
        move || work(scope, jobs, working)
    });
    let _ = scope.set_timeout_with_callback(again.unchecked_ref());
}

/// What the page tells the worker.
pub(super) enum Message {
    Order(Order),
    Cancel(Lane),
}

impl Message {
    pub(super) fn write(&self) -> Array {
        match self {
            Message::Order(Order { lane, number, slug, pairs, seeds }) => {
                let array = Array::of4(&"order".into(), &(*lane as u8).into(), &(*number).into(), &slug.into());
                array.push(&pairs.into());
                array.push(&(*seeds).into());
                array
            }
            Message::Cancel(lane) => Array::of2(&"cancel".into(), &(*lane as u8).into()),
        }
    }

    fn read(data: &JsValue) -> Option<Message> {
        let array: &Array = data.dyn_ref()?;
        let number = |i| array.get(i).as_f64().map(|n| n as u32);
        let lane = lane(number(1)?)?;
        match array.get(0).as_string()?.as_str() {
            "order" => Some(Message::Order(Order {
                lane,
                number: number(2)?,
                slug: array.get(3).as_string()?,
                pairs: array.get(4).as_string()?,
                seeds: number(5)?,
            })),
            "cancel" => Some(Message::Cancel(lane)),
            _ => None,
        }
    }
}

/// Reads a report on the page's side.
pub(super) fn read_report(data: &JsValue) -> Option<Report> {
    let array: &Array = data.dyn_ref()?;
    let values: Float64Array = array.get(3).dyn_into().ok()?;
    Some(Report {
        lane: lane(array.get(0).as_f64()? as u32)?,
        number: array.get(1).as_f64()? as u32,
        share: array.get(2).as_f64()?,
        values: values.to_vec(),
    })
}

fn lane(number: u32) -> Option<Lane> {
    Lane::ALL.into_iter().find(|&lane| lane as u32 == number)
}

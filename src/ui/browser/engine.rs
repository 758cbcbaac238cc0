//! Where runs go that do not fit into a frame: the worker; or this thread in slices, where a frame forbids workers.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};

use super::worker::{Message, read_report};
use super::{document, window};
use crate::jobs::{Jobs, Lane, Order, Report};

/// How long a slice may hold the page's own thread.
const SLICE_MS: f64 = 8.0;
/// How long a worker may take to come up before the page works without it.
const PATIENCE_MS: u32 = 8_000;

/// Takes orders, cancels them, and reports the newest of each lane.
pub struct Engine(Rc<Inner>);

struct Inner {
    on_report: Box<dyn Fn(Report)>,
    /// The newest number of each lane; 0: nothing wanted.
    newest: [Cell<u32>; 3],
    counter: Cell<u32>,
    /// What each lane waits for, in case the worker never comes up.
    waiting: RefCell<[Option<Order>; 3]>,
    side: RefCell<Side>,
}

enum Side {
    /// The worker is coming up.
    Starting(Worker),
    /// The worker works.
    Worker(Worker),
    /// This thread works.
    Here { jobs: Box<Jobs>, scheduled: bool },
}

impl Engine {
    /// Starts the worker. `on_report` is only called with reports of the newest job of a lane.
    pub fn start(on_report: impl Fn(Report) + 'static) -> Engine {
        let side = match start_worker() {
            Some(worker) => Side::Starting(worker),
            None => Side::Here { jobs: Box::default(), scheduled: false },
        };
        let inner = Rc::new(Inner {
            on_report: Box::new(on_report),
            newest: Default::default(),
            counter: Cell::new(0),
            waiting: RefCell::default(),
            side: RefCell::new(side),
        });
        inner.clone().listen();
        Engine(inner)
    }

    /// Orders a job in place of the one in its lane. Its number is given here.
    pub fn order(&self, order: Order) {
        let number = self.0.counter.get() + 1;
        self.0.counter.set(number);
        self.0.newest[order.lane as usize].set(number);
        self.0.send(Order { number, ..order });
    }

    /// Forgets the job of a lane.
    pub fn cancel(&self, lane: Lane) {
        let inner = &self.0;
        if inner.newest[lane as usize].replace(0) == 0 {
            return;
        }
        inner.waiting.borrow_mut()[lane as usize] = None;
        match &mut *inner.side.borrow_mut() {
            Side::Worker(worker) => drop(worker.post_message(&Message::Cancel(lane).write())),
            Side::Here { jobs, .. } => jobs.cancel(lane),
            Side::Starting(_) => {}
        }
    }
}

impl Inner {
    fn send(self: &Rc<Self>, order: Order) {
        self.waiting.borrow_mut()[order.lane as usize] = Some(order.clone());
        match &mut *self.side.borrow_mut() {
            Side::Starting(_) => return, // sent once it is ready
            Side::Worker(worker) => drop(worker.post_message(&Message::Order(order).write())),
            Side::Here { jobs, .. } => jobs.submit(order),
        }
        self.schedule();
    }

    fn receive(&self, report: Report) {
        let lane = report.lane as usize;
        if self.newest[lane].get() != report.number {
            return;
        }
        if report.share >= 1.0 {
            self.newest[lane].set(0);
            self.waiting.borrow_mut()[lane] = None;
        }
        (self.on_report)(report);
    }

    /// Works on without the worker, with everything that it was to do.
    fn fall_back(self: &Rc<Self>) {
        if matches!(*self.side.borrow(), Side::Here { .. }) {
            return;
        }
        if let Side::Starting(worker) | Side::Worker(worker) =
            self.side.replace(Side::Here { jobs: Box::default(), scheduled: false })
        {
            worker.terminate();
        }
        let orders = self.waiting.borrow().clone();
        orders.into_iter().flatten().for_each(|order| self.send(order));
    }

    /// Works a slice soon, where this thread does the work.
    fn schedule(self: &Rc<Self>) {
        if let Side::Here { jobs, scheduled } = &mut *self.side.borrow_mut()
            && !*scheduled
            && !jobs.idle()
        {
            *scheduled = true;
            let inner = self.clone();
            Timeout::new(0, move || inner.slice()).forget();
        }
    }

    fn slice(self: Rc<Self>) {
        let report = match &mut *self.side.borrow_mut() {
            Side::Here { jobs, scheduled } => {
                *scheduled = false;
                let end = js_sys::Date::now() + SLICE_MS;
                jobs.slice(|| js_sys::Date::now() < end)
            }
            _ => None,
        };
        if let Some(report) = report {
            self.receive(report);
        }
        self.schedule();
    }

    fn listen(self: Rc<Self>) {
        let worker = match &*self.side.borrow() {
            Side::Starting(worker) => worker.clone(),
            _ => return,
        };
        let inner = self.clone();
        let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            let data = event.data();
            if let Some(report) = read_report(&data) {
                inner.receive(report);
            } else {
                inner.ready();
            }
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        on_message.forget(); // lives as long as the page
        let inner = self.clone();
        let on_error = Closure::<dyn Fn()>::new(move || inner.fall_back());
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        on_error.forget();
        let inner = self.clone();
        Timeout::new(PATIENCE_MS, move || {
            if matches!(*inner.side.borrow(), Side::Starting(_)) {
                // Outside of the borrow above.
                Timeout::new(0, {
                    let inner = inner.clone();
                    move || inner.fall_back()
                })
                .forget();
            }
        })
        .forget();
    }

    /// The worker is up: what waited is sent.
    fn ready(self: &Rc<Self>) {
        let worker = match &*self.side.borrow() {
            Side::Starting(worker) => worker.clone(),
            _ => return,
        };
        self.side.replace(Side::Worker(worker));
        let orders = self.waiting.borrow().clone();
        orders.into_iter().flatten().for_each(|order| self.send(order));
    }
}

/// Starts the worker script and gives it this page's compiled module; `None` where workers are refused.
fn start_worker() -> Option<Worker> {
    // The one-file build makes its own: a classic worker from a blob, since it has no address to load a script from.
    let made = js_sys::Reflect::get(&window(), &"overloadWorker".into()).ok();
    if let Some(make) = made.and_then(|f| f.dyn_into::<js_sys::Function>().ok()) {
        let worker: Worker = make.call0(&JsValue::NULL).ok()?.dyn_into().ok()?;
        worker.post_message(&wasm_bindgen::module()).ok()?;
        return Some(worker);
    }
    let script = document().query_selector("script[data-js]").ok()??;
    let base = script.get_attribute("src")?;
    let glue = script.get_attribute("data-js")?;
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let url = web_sys::Url::new_with_base(&base, &document().base_uri().ok()??).ok()?;
    let here = url.href();
    let folder = here.rsplit_once('/').map_or("", |(folder, _)| folder);
    let glue = glue.rsplit_once('/').map_or(&*glue, |(_, file)| file);
    let worker = Worker::new_with_options(&format!("{folder}/worker.js?js={glue}"), &options).ok()?;
    worker.post_message(&wasm_bindgen::module()).ok()?;
    Some(worker)
}

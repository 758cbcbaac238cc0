//! The browser's entry. One WASM serves twice: in a page it takes the figure over; where there is no window it is the
//! worker.

fn main() {
    if web_sys::window().is_some() {
        overload_ui::boot::page();
    } else {
        overload_ui::browser::worker::serve();
    }
}

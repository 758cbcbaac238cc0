//! The page and what moves on it, as Leptos components.

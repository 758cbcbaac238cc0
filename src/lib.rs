//! The map of the house. Filled in when the rooms stand.

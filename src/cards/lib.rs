//! The lessons: one folder a card.

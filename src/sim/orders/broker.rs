//! A durable broker that delivers at least once.
//!
//! A message that is taken is hidden for a while. Acknowledged meanwhile it is gone; else it shows up again, and whoever takes it then
//! does it again: SQS's visibility timeout (30 s by default; documented). A message taken too often is put aside (a dead letter). Order is
//! kept only as far as nothing comes back.

use std::collections::VecDeque;

/// How often a message may be taken: `maxReceiveCount`.
pub const MOST_TAKEN: u32 = 10;

/// The broker.
#[derive(Clone, Debug, Default)]
pub struct Broker {
    ready: VecDeque<u32>,
    /// Of each message: what it carries, how often it was taken, whether it is acknowledged.
    messages: Vec<(u32, u32, bool)>,
    /// Messages put aside.
    pub dead: u64,
}

/// A message taken: which, and the how-manieth time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The message.
    pub message: u32,
    /// From 1.
    pub taken: u32,
}

impl Broker {
    /// A message is stored.
    pub fn publish(&mut self, carries: u32) {
        self.ready.push_back(self.messages.len() as u32);
        self.messages.push((carries, 0, false));
    }

    /// The first one that can be seen, with what it carries; `None`: there is none. Whoever takes it must let it
    /// [expire](Broker::expire) when its time is over.
    pub fn take(&mut self) -> Option<(Receipt, u32)> {
        let message = self.ready.pop_front()?;
        let (carries, taken, _) = &mut self.messages[message as usize];
        *taken += 1;
        Some((Receipt { message, taken: *taken }, *carries))
    }

    /// It has been done. A receipt that is not the last one is worth nothing.
    pub fn acknowledge(&mut self, receipt: Receipt) {
        let (_, taken, done) = &mut self.messages[receipt.message as usize];
        *done |= *taken == receipt.taken;
    }

    /// Its time is over: unless it was acknowledged it shows up again.
    pub fn expire(&mut self, receipt: Receipt) {
        let (_, taken, done) = self.messages[receipt.message as usize];
        if done || taken != receipt.taken {
            return;
        }
        if taken < MOST_TAKEN {
            self.ready.push_back(receipt.message);
        } else {
            self.dead += 1;
        }
    }

    /// How many messages were ever stored.
    pub fn published(&self) -> u64 {
        self.messages.len() as u64
    }

    /// How often one was taken again.
    pub fn again(&self) -> u64 {
        self.messages.iter().map(|m| u64::from(m.1.saturating_sub(1))).sum()
    }
}

//! What a run gives: figures, series, log and both ledgers, all numbers.
//!
//! Names and units are declared once, in a [`Plan`] that depends on the knobs alone; the run fills in the values.
//! So an outcome is a plain array of numbers: it crosses to a worker and back as it is, and its bytes can be compared.

use overload_chart::{Text, Unit};
use overload_sim::ledger::{CallerLedger, ServerLedger};

/// What the outcome of a run will hold, given its knobs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Single numbers.
    pub figures: Vec<FigureSpec>,
    /// Tables of numbers.
    pub series: Vec<SeriesSpec>,
    /// One entry a simulated system: whose ledgers they are.
    pub books: Vec<Text>,
}

/// A number that a run gives.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureSpec {
    /// Key in JSON: snake_case English.
    pub key: String,
    /// Heading that it stands under in the page's table.
    pub group: Text,
    /// Its name.
    pub label: Text,
    /// Its unit.
    pub unit: Unit,
}

/// A table of numbers that a run gives.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesSpec {
    /// Key in JSON: snake_case English.
    pub key: String,
    /// Columns with their units.
    pub columns: Vec<(&'static str, Unit)>,
}

impl Plan {
    /// Adds a figure.
    pub fn figure(&mut self, key: impl Into<String>, group: Text, label: Text, unit: Unit) {
        self.figures.push(FigureSpec { key: key.into(), group, label, unit });
    }

    /// Adds a series.
    pub fn series(&mut self, key: impl Into<String>, columns: &[(&'static str, Unit)]) {
        self.series.push(SeriesSpec { key: key.into(), columns: columns.to_vec() });
    }

    /// The figure with this key.
    pub fn find(&self, key: &str) -> Option<&FigureSpec> {
        self.figures.iter().find(|f| f.key == key)
    }
}

/// What the users of one simulated system asked and got, and both of its ledgers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Book {
    /// User requests: the offered load, in requests.
    pub offered: u64,
    /// User requests answered within the caller's deadline: goodput, in requests.
    pub good: u64,
    /// The caller's book of attempts.
    pub caller: CallerLedger,
    /// The server's book of arrivals.
    pub server: ServerLedger,
}

impl Book {
    /// How many counts a book has.
    pub const LEN: usize = 16;

    /// All counts in one order: requests asked and answered, then the caller's book, then the server's.
    pub fn numbers(&self) -> [u64; Self::LEN] {
        let (c, s) = (&self.caller, &self.server);
        [
            self.offered,
            self.good,
            c.attempts,
            c.ok,
            c.late,
            c.error,
            c.timeout,
            c.shed,
            c.rejected,
            c.cancelled,
            s.arrivals,
            s.useful,
            s.wasted,
            s.dropped_expired,
            s.refused,
            s.lost,
        ]
    }

    fn of(n: [u64; Self::LEN]) -> Book {
        let [offered, good, attempts, ok, late, error, timeout, shed, rejected, cancelled, ..] = n;
        let [.., arrivals, useful, wasted, dropped_expired, refused, lost] = n;
        Book {
            offered,
            good,
            caller: CallerLedger { attempts, ok, late, error, timeout, shed, rejected, cancelled },
            server: ServerLedger { arrivals, useful, wasted, dropped_expired, refused, lost },
        }
    }
}

/// The values of a run, in the order of its [`Plan`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    figures: Vec<f64>,
    series: Vec<Vec<f64>>,
    /// One entry a simulated system.
    pub books: Vec<Book>,
}

impl Outcome {
    /// An outcome without values yet: every figure missing, every series empty.
    pub fn new(plan: &Plan) -> Outcome {
        Outcome {
            figures: vec![f64::NAN; plan.figures.len()],
            series: vec![Vec::new(); plan.series.len()],
            books: Vec::new(),
        }
    }

    /// Sets a figure. A value that is not finite counts as missing.
    ///
    /// # Panics
    /// Where the plan has no such figure: a mistake in the card.
    pub fn set(&mut self, plan: &Plan, key: &str, value: f64) {
        let at = plan.figures.iter().position(|f| f.key == key);
        self.figures[at.unwrap_or_else(|| panic!("the plan has no figure {key}"))] = value;
    }

    /// Sets a series, row after row.
    ///
    /// # Panics
    /// Where the plan has no such series: a mistake in the card.
    pub fn fill(&mut self, plan: &Plan, key: &str, values: Vec<f64>) {
        let at = plan.series.iter().position(|s| s.key == key);
        self.series[at.unwrap_or_else(|| panic!("the plan has no series {key}"))] = values;
    }

    /// A figure's value; `None` where the run has none (nobody was answered) or the plan does not know it.
    pub fn get(&self, plan: &Plan, key: &str) -> Option<f64> {
        let at = plan.figures.iter().position(|f| f.key == key)?;
        self.figures.get(at).copied().filter(|v| v.is_finite())
    }

    /// All figures' values, in the order of the plan; NaN where missing.
    pub fn values(&self) -> &[f64] {
        &self.figures
    }

    /// The rows of a series, each as long as its plan has columns.
    pub fn rows(&self, plan: &Plan, key: &str) -> impl Iterator<Item = &[f64]> {
        let found = plan.series.iter().zip(&self.series).find(|(spec, _)| spec.key == key);
        let (columns, values) = found.map_or((1, &[][..]), |(spec, values)| (spec.columns.len().max(1), &values[..]));
        values.chunks_exact(columns)
    }

    /// As one array of numbers.
    pub fn pack(&self) -> Vec<f64> {
        let mut out = vec![self.figures.len() as f64, self.series.len() as f64, self.books.len() as f64];
        out.extend(&self.figures);
        for series in &self.series {
            out.push(series.len() as f64);
            out.extend(series);
        }
        // Counts stay below 2⁵³, so a float holds them exactly.
        out.extend(self.books.iter().flat_map(Book::numbers).map(|n| n as f64));
        out
    }

    /// Back from [`Outcome::pack`]; `None` where the numbers are not such an array.
    pub fn unpack(numbers: &[f64]) -> Option<Outcome> {
        fn take<'a>(rest: &mut &'a [f64], n: usize) -> Option<&'a [f64]> {
            let (taken, left) = rest.split_at_checked(n)?;
            *rest = left;
            Some(taken)
        }
        let mut rest = numbers;
        let &[figures, series, books] = take(&mut rest, 3)? else { return None };
        let figures = take(&mut rest, figures as usize)?.to_vec();
        let mut all = Vec::new();
        for _ in 0..series as usize {
            let len = take(&mut rest, 1)?[0] as usize;
            all.push(take(&mut rest, len)?.to_vec());
        }
        let mut out = Outcome { figures, series: all, books: Vec::new() };
        for _ in 0..books as usize {
            let numbers: [f64; Book::LEN] = take(&mut rest, Book::LEN)?.try_into().ok()?;
            out.books.push(Book::of(numbers.map(|n| n as u64)));
        }
        rest.is_empty().then_some(out)
    }

    /// A hash of every bit of the outcome (FNV-1a, 64 bits): equal natively and in WASM for the same knobs and seed.
    pub fn hash(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325u64;
        for number in self.pack() {
            // Every missing value has the same bits.
            let bits = if number.is_nan() { u64::MAX } else { number.to_bits() };
            for byte in bits.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
        hash
    }
}

//! A run told as a document: to be read, printed, or copied as Markdown.

/// A document made of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Its heading.
    pub title: String,
    /// Its parts, in order.
    pub parts: Vec<Part>,
}

/// A part of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its heading.
    pub head: String,
    /// Paragraphs.
    pub said: Vec<String>,
    /// A table, its first row the names of the columns; empty: none. An empty cell is for the reader to fill in.
    pub table: Vec<Vec<String>>,
}

impl Report {
    /// The document as Markdown.
    pub fn markdown(&self) -> String {
        let mut out = format!("# {}\n", plain(&self.title));
        for part in &self.parts {
            out += &format!("\n## {}\n", plain(&part.head));
            for said in &part.said {
                out += &format!("\n{}\n", plain(said));
            }
            for (i, row) in part.table.iter().enumerate() {
                let cells: Vec<String> = row.iter().map(|cell| plain(cell).replace('|', "\\|")).collect();
                out += &format!("{}| {} |\n", if i == 0 { "\n" } else { "" }, cells.join(" | "));
                if i == 0 {
                    out += &format!("|{}\n", " --- |".repeat(row.len()));
                }
            }
        }
        out
    }
}

/// Text in which Markdown sees nothing of its own.
fn plain(text: &str) -> String {
    text.replace('\\', "\\\\").replace('*', "\\*").replace('_', "\\_").replace('<', "\\<")
}

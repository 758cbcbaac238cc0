//! The page's own words, in both languages.

use overload_chart::{Text, same, text};

pub const SITE: &str = "Overload Playground";
pub const ALL_CARDS: Text = text("All cards", "Tất cả các thẻ");
pub const SKIP: Text = text("Skip to the figure", "Tới thẳng hình");
pub const SWITCH_THEME: Text = text("Switch light and dark", "Đổi sáng tối");
pub const OTHER_LANGUAGE: Text = text("Tiếng Việt", "English");
pub const FOOT: Text = text(
    "A static site: nothing you set, guess or type leaves this page. Every figure comes from the knobs and the seed in the address.",
    "Trang tĩnh: những gì bạn chỉnh, đoán hay gõ không rời khỏi trang này. Mọi con số đều sinh ra từ các núm chỉnh và seed trong địa chỉ.",
);
pub const NO_SCRIPT: Text = text(
    "The knobs need JavaScript and WebAssembly. Without them the page still shows the article’s run.",
    "Các núm chỉnh cần JavaScript và WebAssembly. Không có thì trang vẫn hiện lần chạy của bài.",
);
pub const FAILED: Text = text("The simulation could not start", "Không khởi động được mô phỏng");
pub const FAILED_WHY: Text = text(
    "The text and the still figure are complete. Reload to try again; a browser from 2024 or later is needed.",
    "Phần chữ và hình tĩnh vẫn đầy đủ. Hãy tải lại để thử lần nữa; cần trình duyệt từ năm 2024 trở đi.",
);
pub const RELOAD: Text = text("Reload", "Tải lại");
pub const COPY_STATE: Text = text("Copy this state", "Sao chép trạng thái này");

pub const CARD: Text = text("Card", "Thẻ");
pub const ARTICLE: Text = text("article", "bài");
pub const PART: Text = text("part", "mục");
pub const START_FROM: Text = text("Start from", "Bắt đầu từ");
/// The button that unfolds the setups on a phone.
pub const ALL_SETUPS: Text = text("All", "Tất cả");
pub const SETUPS: Text = text("Setups", "Tình huống dựng sẵn");
pub const KNOBS: Text = text("Knobs", "Các núm chỉnh");
pub const RESET: Text = text("Reset", "Đặt lại");
pub const LESS: Text = text("Less", "Giảm");
pub const MORE: Text = text("More", "Tăng");
pub const DISMISS: Text = text("Dismiss", "Bỏ qua");
pub const NOTICES: Text =
    text("What the link set that could not be used", "Những giá trị trong liên kết không dùng được");

pub const RUN: Text = text("Run", "Lần chạy");
pub const SEED: Text = same("Seed");
pub const NEW: Text = text("New", "Mới");
pub const NEW_SEED: Text = text("New seed", "Seed mới");
pub const SEEDS: Text = text("Seeds", "Số seed");
pub const CANCEL: Text = text("Cancel", "Huỷ");
pub const FILM: Text = text("The system at one moment", "Hệ thống tại một thời điểm");
pub const PLAY: Text = text("Play", "Phát");
pub const PAUSE: Text = text("Pause", "Dừng");
pub const SPEED: Text = text("Speed", "Tốc độ");
pub const MOMENT: Text = text("Moment of the run", "Thời điểm của lần chạy");
pub const CALLS_DOWN: Text = text("calls", "call");
pub const ANSWERED: Text = text("answers", "câu trả lời");
pub const FOR_NOBODY: Text = text("answers for nobody", "trả lời không ai chờ");
pub const REFUSED: Text = text("refusals", "từ chối");
pub const A_DOT: Text = text("One dot is {n} a second.", "Mỗi chấm là {n} mỗi giây.");
pub const LOOP_TURNS: Text = text("The loop turns: each edge holds.", "Vòng lặp đang quay: cạnh nào cũng đúng.");
pub const LOOP_RESTS: Text = text("The loop does not turn at this moment.", "Vòng lặp không quay tại thời điểm này.");
pub const HOLDS: Text = text("holds", "đúng");
pub const HOLDS_NOT: Text = text("does not hold", "không đúng");
pub const CUT_BY: Text = text("cut by", "cắt bởi");
pub const DOES_IT_COME_BACK: Text = text("Does it come back?", "Nó có trở lại không?");
pub const POSTMORTEM: Text = same("Postmortem");
pub const POSTMORTEM_HOW: Text = text(
    "This run as a document for your team: timeline, mechanism, guardrails with room for owner and date, and a plan to prove them.",
    "Lần chạy này thành một tài liệu cho team: diễn biến, cơ chế, guardrail kèm chỗ ghi người phụ trách và hạn, và kế hoạch để chứng minh.",
);
pub const SHOW_POSTMORTEM: Text = text("Show the postmortem of this run", "Xem postmortem của lần chạy này");
pub const COPY_MARKDOWN: Text = text("Copy as Markdown", "Sao chép dạng Markdown");
pub const MARKDOWN_COPIED: Text = text("Markdown copied.", "Đã sao chép Markdown.");
pub const COPY_REFUSED: Text = text(
    "This page may not write to the clipboard. Select the text and copy it.",
    "Trang này không được phép ghi vào clipboard. Hãy chọn văn bản và sao chép.",
);
pub const PRINT: Text = text("Print", "In");
pub const COPY_LINK: Text = text("Copy link", "Sao chép liên kết");
pub const COPIED: Text = text("Link copied.", "Đã sao chép liên kết.");
pub const COPY_BY_HAND: Text = text(
    "This page may not write to the clipboard. The text is selected: copy it with your keyboard.",
    "Trang này không được phép ghi vào clipboard. Văn bản đã được chọn sẵn: hãy sao chép bằng bàn phím.",
);
pub const EMBED: Text = text("Embed", "Nhúng");
pub const EMBED_HOW: Text = text(
    "Paste this into an internal page. The figure keeps the knobs as they are now.",
    "Dán vào một trang nội bộ. Hình giữ nguyên các núm chỉnh như hiện tại.",
);
pub const LINK: Text = text("Link", "Liên kết");
pub const CLOSE: Text = text("Close", "Đóng");
pub const COPY: Text = text("Copy", "Sao chép");
pub const SVG: Text = same("SVG");
pub const PNG: Text = same("PNG");
pub const CSV: Text = same("CSV");
pub const DATA_TABLE: Text = text("Data table", "Bảng số liệu");
pub const SERIES: Text = text("Show or hide series", "Hiện hoặc ẩn chuỗi dữ liệu");
pub const OPEN_PLAYGROUND: Text = text("Open in the playground", "Mở trong playground");
pub const CHART_KEYS: Text = text(
    "Arrow keys move a reading line, Escape removes it.",
    "Phím mũi tên di chuyển vạch đọc số, Escape để tắt vạch.",
);

pub const ARTICLE_HEAD: Text = text("The article against this run", "Bài viết so với lần chạy này");
pub const NOTHING_PRINTED: Text = text(
    "The article prints no figure for this, so there is nothing to compare.",
    "Bài không in con số nào cho phần này nên không có gì để so.",
);
pub const FIGURE: Text = text("Figure", "Con số");
pub const THE_ARTICLE: Text = text("Article", "Bài");
pub const OUR_RUN: Text = text("Our run of its setup", "Chạy lại");
pub const YOUR_RUN: Text = text("Your run", "Của bạn");
pub const KIND: Text = text("Kind", "Loại");
pub const TRY: Text = text("Try this", "Thử xem");
pub const SET: Text = text("Set", "Áp dụng");
pub const MODEL: Text = text("What is simulated", "Mô phỏng những gì");
pub const BOOKS: Text = text("Both ledgers", "Hai sổ đối chiếu");
pub const BOOKS_NOTE: Text = text(
    "Each attempt ends once for its caller; each arrival has one fate at the server. Both sides add up.",
    "Với phía gọi, mỗi lần thử kết thúc đúng một lần; ở server, mỗi lượt đến có đúng một kết cục. Cả hai bên cộng lại đều khớp.",
);
pub const WALK: Text = text("Say it before you see it", "Đoán trước, xem sau");
pub const STEPS: Text = text("Steps", "Các bước");
pub const GUESS: Text = text("Your guess", "Bạn đoán");
pub const REVEAL: Text = text("Reveal", "Xem kết quả");
pub const REVEALED: Text = text("Revealed", "Đã mở");
pub const GOOD_ANSWER: Text = text("A good answer names", "Câu trả lời tốt nêu được");
pub const FOLLOW_UP: Text = text("Follow-up", "Câu hỏi tiếp");
pub const SPOKEN: Text = text("The answer in thirty seconds", "Câu trả lời trong ba mươi giây");
pub const YES_EXACTLY: Text = text("Exactly.", "Chính xác.");

/// Columns of the ledgers' table: the caller's, then the server's.
pub const BOOK_COLUMNS: [(&str, Text); 16] = [
    ("offered", text("requests", "request")),
    ("good", text("answered in time", "kịp hạn")),
    ("attempts", text("attempts", "lần thử")),
    ("ok", text("ok", "ok")),
    ("late", text("late", "trễ hạn")),
    ("error", text("error", "lỗi")),
    ("timeout", text("timeout", "timeout")),
    ("shed", text("refused (shed)", "bị từ chối (shed)")),
    ("rejected", text("never sent", "không gửi")),
    ("cancelled", text("cancelled", "bị huỷ")),
    ("arrivals", text("arrivals", "lượt đến")),
    ("useful", text("useful", "có ích")),
    ("wasted", text("wasted (zombie)", "phí công (zombie)")),
    ("dropped_expired", text("dropped expired", "bỏ vì quá hạn")),
    ("refused", text("refused (shed)", "bị từ chối (shed)")),
    ("lost", text("lost", "mất")),
];

//! The style of the page.

pub(super) const STYLE: &str = "
:root{color-scheme:light dark;--text:#1f2328;--dim:#57606a;--back:#fff;--card:#f6f8fa;--line:#d0d7de;--good:#1a7f37;--bad:#cf222e;--known:#9a6700}
@media(prefers-color-scheme:dark){:root{--text:#e6edf3;--dim:#9198a1;--back:#0d1117;--card:#161b22;--line:#30363d;--good:#3fb950;--bad:#f85149;--known:#d29922}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--text);background:var(--back);margin:0 auto;max-width:960px;padding:24px}
h1{font-size:24px;margin:0 0 4px}h2{font-size:18px;margin:32px 0 8px}h3{font-size:15px;margin:0 0 8px}
code,pre{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{background:var(--back);border:1px solid var(--line);border-radius:6px;padding:8px 10px;margin:4px 0 10px;white-space:pre-wrap;overflow-wrap:anywhere;max-height:320px;overflow:auto}
.dim{color:var(--dim)}.good{color:var(--good)}.bad{color:var(--bad)}.known{color:var(--known)}
.mark{font-weight:600}table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:5px 12px 5px 0;border-bottom:1px solid var(--line)}th{font-weight:500;color:var(--dim);white-space:nowrap}
table.facts th{width:200px}td pre{max-height:200px;margin:0}.finding{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:14px 16px;margin:12px 0}
.finding img{max-width:100%;height:auto;border-radius:6px;margin-top:4px}dt{color:var(--dim)}dd{margin:0 0 6px}a{color:inherit}
";

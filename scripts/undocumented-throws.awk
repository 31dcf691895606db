#!/usr/bin/awk -f
# Prints the public declarations that throw, and those of public protocols, whose documentation has no "- Throws:".
# Relies on the layout that swift format gives.
function finish(   text, throws) {
    text = signature
    throws = text ~ /\{ get (async )?throws/
    signature = ""
    while (gsub(/\([^()]*\)/, " ", text)) { }
    sub(/( (->|where|\{)|(^| )var ).*/, "", text)
    if ((throws || text ~ / (re)?throws( |$)/) && !documented) printf "  %s:%d: %s\n", file, line, first
    documented = 0
}
function depth_of(text) { return gsub(/\(/, "(", text) - gsub(/\)/, ")", text) }
FNR == 1 { if (signature != "") finish(); documented = 0; file = FILENAME }
{ text = $0; sub(/^ +/, "", text) }
signature != "" {
    if (depth > 0 || text ~ /^(async|throws|rethrows|get)( |\(|$)/) {
        signature = signature " " text
        depth += depth_of(text)
        next
    }
    finish()
}
/^public protocol / { in_protocol = 1 }
/^}/ { in_protocol = 0 }
text ~ /^\/\/\// { if (text ~ /^\/\/\/ - Throws:/) documented = 1; next }
text ~ /^([@a-z][A-Za-z()]* )*(func |var |init[(<?]|subscript[(<])/ && (in_protocol || text ~ /(^| )(public|open) /) {
    signature = first = text
    line = FNR
    depth = depth_of(text)
    next
}
text !~ /^@/ { documented = 0 }
END { if (signature != "") finish() }

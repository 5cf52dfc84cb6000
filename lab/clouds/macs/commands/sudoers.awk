# The grammar of sudoers, as far as fleets use it. Prints `error FILE LINE` for each bad line, and `grant password|free LINE`
# for each rule that lets `user` run every command; with `admin`, rules of that group count as well. Rules for single commands grant nothing here. Without one large regular
# expression, because awks differ about repeated groups.
function is_list(text, parts, count, at) {
  count = split(text, parts, ",")
  for (at = 1; at <= count; at++)
    if (parts[at] !~ /^!*[%+]?[A-Za-z_][A-Za-z0-9_.-]*$/ && parts[at] !~ /^!*#[0-9]+$/) return 0
  return count > 0
}
function is_runas(text, parts, count, at) {
  count = split(text, parts, ":")
  for (at = 1; at <= count; at++) if (parts[at] != "" && !is_list(parts[at])) return 0
  return count <= 2
}
function is_command(text) {
  while (match(text, /^(NOPASSWD|PASSWD|NOEXEC|EXEC|SETENV|NOSETENV|LOG_INPUT|NOLOG_INPUT|LOG_OUTPUT|NOLOG_OUTPUT):/))
    text = substr(text, RLENGTH + 1)
  sub(/^!+/, "", text)
  return text ~ /^[A-Z][A-Z0-9_]*$/ || text ~ /^\/[^:=]*$/ || text ~ /^sudoedit \/[^:=]*$/
}
function is_rule(line, ends, left, parts, count, at) {
  ends = index(line, "=")
  if (ends == 0) return 0
  left = substr(line, 1, ends - 1)
  line = substr(line, ends + 1)
  if (split(left, parts, " ") != 2 || !is_list(parts[1]) || !is_list(parts[2])) return 0
  while (match(line, /\([^()]*\)/)) {
    if (!is_runas(substr(line, RSTART + 1, RLENGTH - 2))) return 0
    line = substr(line, 1, RSTART - 1) substr(line, RSTART + RLENGTH)
  }
  count = split(line, parts, ",")
  for (at = 1; at <= count; at++) if (!is_command(parts[at])) return 0
  return count > 0
}
FNR == 1 { pending = "" }
{
  line = pending $0
  pending = ""
  if (line ~ /\\$/) { pending = substr(line, 1, length(line) - 1) " "; next }
  if (line ~ /^[ \t]*[#@]include(dir)?[ \t]+[^ \t]/) next
  if (line !~ /^[ \t]*#[0-9]/) sub(/#.*/, "", line)
  gsub(/[ \t]+/, " ", line)
  gsub(/^ | $/, "", line)
  if (line == "") next
  if (line ~ /^Defaults([@:!>][^ ]+)? [^ ]/) next
  if (line ~ /^(User|Runas|Host|Cmnd|Cmd)_Alias [A-Z][A-Z0-9_]* ?= ?[^ ]/) next
  gsub(/ ?, ?/, ",", line)
  gsub(/ ?= ?/, "=", line)
  gsub(/ ?: ?/, ":", line)
  gsub(/\( /, "(", line)
  gsub(/ ?\) ?/, ")", line)
  if (!is_rule(line)) { print "error", FILENAME, FNR; next }
  who = line
  sub(/ .*/, "", who)
  if (who != user && !(who == "%admin" && admin) && who != "ALL") next
  if (line !~ /[:=)]ALL$/) next
  print "grant", (line ~ /NOPASSWD:/) ? "free" : "password", FNR
}
END { if (pending != "") print "error", FILENAME, FNR }

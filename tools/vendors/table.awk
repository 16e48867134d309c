# The table of check-vendors, from known (see there), the list of cards and what compile found for each of them:
#     awk -f table.awk known chosen results/CARD …
# Exits with 1 if something is wrong that is not known.
function program(name) {
    sub(/-[0-9]*\.(comp|frag)$/, "", name)
    sub(/-/, "/", name)
    return name
}
function end_card() {
    if (!card) return
    if (!all || broken) wrong[++wrongs] = card ": the driver does not begin, or ended"
    printf "| %s (%s) | %s | %d | %d | %d | %d | %.0f | %.2f `%s` | %d | %s | %s | %s |\n", title[card], card, driver, all,
        bad + broken, excused, refused, sum, slowest, slow, largest, told ? registers : "", told ? spilled + 0 : "",
        told ? scratch + 0 : ""
    all = bad = excused = refused = sum = slowest = largest = registers = spilled = scratch = told = broken = 0
}
BEGIN {
    FS = "\t"
    print "| card | driver | programs | failed | known | refused | s, all | slowest, s | most MB | registers | spill | scratch |"
    print "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
}
FILENAME ~ /known$/ {
    if ($0 !~ /^#/ && NF >= 4) reason[$1 " " $2 " " $3] = $4
    next
}
FILENAME ~ /chosen$/ {
    split($0, word, " ")
    title[word[1]] = substr($0, length(word[1] word[2] word[3] word[4] word[5] word[6]) + 7)
    next
}
FNR == 1 {
    end_card()
    card = FILENAME
    sub(/.*\//, "", card)
    driver = $1
    sub(/.* Mesa /, "Mesa ", driver)
    sub(/-.*/, "", driver)
    next
}
NF < 7 { broken = 1; next }
{ name = program($1); about = card " " name " " $2 }
$2 == "refused" {
    refused++
    if (!refuses[name]++) refusal[++refusals] = name
    next
}
{ all++; sum += $3 }
$2 != "right" {
    if (about in reason) {
        excused++
        if (!excuse[about]++) excuses[++count] = about
    }
    else { bad++; wrong[++wrongs] = card ": " $1 " is " $2 ", " $3 " s, " $4 " MB" ($8 ? ": " $8 : "") }
}
$3 > slowest { slowest = $3; slow = name }
$4 > largest { largest = $4 }
$5 > registers { registers = $5 }
$5 >= 0 || $6 >= 0 { told = 1 }
$6 > 0 { spilled++ }
$7 > scratch { scratch = $7 }
END {
    end_card()
    for (k = 1; k <= refusals; k++) list = list " " refusal[k]
    if (list) {
        print "\nRefused: programs with doubles, on cards that have none. Their drivers emulate doubles; glshape measures that,"
        print "compiles none of these programs there, and processors do the work (src/gpu/trust.c). They are variants of"
        print substr(list, 2)
    }
    if (count) print "\nKnown:"
    for (k = 1; k <= count; k++) {
        said = reason[excuses[k]] == why ? "as above" : why = reason[excuses[k]]
        print excuses[k] " (" excuse[excuses[k]] "): " said
    }
    if (wrongs) print "\nFailed:"
    for (k = 1; k <= wrongs; k++) print wrong[k]
    exit wrongs != 0
}

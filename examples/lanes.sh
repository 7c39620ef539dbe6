#!/usr/bin/env bash
# Several reproductions side by side, for as long as a machine is yours: small models leave most of
# a GPU idle, and an allocation ends when it ends.
#
#   bash examples/lanes.sh run STORE MINUTES < LANES    train; everything is saved when time is up
#   bash examples/lanes.sh pack STORE FILE.tgz          what was finished since, without weights;
#                                                       at any time, also while lanes run
#
# A line of LANES is what follows `foretell reproduce`; lines run beside one another, and what is
# separated by `;` one after the other:
#
#   length-figure --budget gpu --positional nope
#   capture-figure --budget gpu --only sorting-half; language-suite-encodings --budget gpu
#
# Logs are in STORE.lanes. Each lane gets its part of the memory when it asks, not at the start.
set -euo pipefail
export XLA_PYTHON_CLIENT_PREALLOCATE=${XLA_PYTHON_CLIENT_PREALLOCATE:-false}
foretell=${FORETELL:-foretell}

usage() { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2; }

finished() { (cd "$store" && find . -mindepth 3 -maxdepth 3 -name run.json | sort); }

lane() { # number, commands
    local IFS=';' command left code
    for command in $2; do
        left=$((deadline - $(date +%s)))
        [ "$left" -ge 10 ] || break
        echo "$(date +%T) reproduce$command"
        (IFS=' '; exec $foretell reproduce $command --store "$store" \
            --minutes "$(awk "BEGIN { print $left / 60 }")" < /dev/null) \
            || { code=$?; echo "$(date +%T) ended with exit code $code"; }
    done > "$folder/$1.log" 2>&1
}

[ $# -eq 3 ] || usage
store=$2 folder=$2.lanes
case $1 in
run)
    [[ $3 =~ ^[0-9]+([.][0-9]+)?$ ]] || usage
    mkdir -p "$store" "$folder"
    [ -e "$folder/before" ] || finished > "$folder/before"
    deadline=$(awk "BEGIN { print int($(date +%s) + 60 * $3) }")
    number=0
    rm -f "$folder"/*.log  # of an earlier time: their failures are not these
    while IFS= read -r line || [ -n "$line" ]; do  # the last line may lack its end
        case $line in '' | \#*) continue ;; esac
        number=$((number + 1))
        lane "$number" " $line" &
    done
    wait
    grep -H 'exit code' "$folder"/*.log || true
    ;;
pack)
    [ -e "$folder/before" ] || usage
    runs=$(finished | comm -23 - "$folder/before" | xargs -r -n 1 dirname)
    [ -n "$runs" ] || { echo "nothing is finished yet" >&2; exit 1; }
    questions=$(echo "$runs" | xargs -n 1 dirname | sort -u)
    questions=$(cd "$store" && find $questions -maxdepth 1 -name '*.json*')
    tar czf "$3.part" --exclude 'weights*' --exclude 'checkpoint*' --exclude lock -C "$store" $questions $runs
    mv "$3.part" "$3"
    echo "$(echo "$runs" | wc -l) runs in $3"
    ;;
*) usage ;;
esac

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
# Names with spaces stand in quotes. If anything failed, the exit code is 1 and the lines say what.
set -euo pipefail
export XLA_PYTHON_CLIENT_PREALLOCATE=${XLA_PYTHON_CLIENT_PREALLOCATE:-false}
foretell=${FORETELL:-foretell}

usage() { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2; }

# runs, and the cells of experiments, which are a file each
finished() { (cd "$store" && find . -mindepth 3 -maxdepth 3 \
    \( -name run.json -o -path './experiments/*.json' \) | sort); }

lane() { # number, commands
    local IFS=';' command left code words
    for command in $2; do
        left=$((deadline - $(date +%s)))
        [ "$left" -ge 10 ] || break
        echo "$(date +%T) reproduce$command"
        [[ $command == *[![:space:]]* ]] || continue
        words=$(xargs -n 1 printf '%s\n' <<< "$command" 2> /dev/null) \
            || { echo "not understood, ended with exit code 2"; continue; }
        mapfile -t words <<< "$words"  # quoted as in a shell
        (IFS=' '; exec $foretell reproduce "${words[@]}" --store "$store" \
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
    ! grep -H 'ended with exit code' "$folder"/*.log 2> /dev/null || exit 1
    ;;
pack)
    [ -e "$folder/before" ] || usage
    new=$(finished | comm -23 - "$folder/before")
    [ -n "$new" ] || { echo "nothing is finished yet" >&2; exit 1; }
    cells=$(grep '^./experiments/' <<< "$new" || true)
    runs=$({ grep '/run.json$' <<< "$new" || true; } | xargs -r -n 1 dirname)
    questions=$([ -z "$runs" ] || xargs -n 1 dirname <<< "$runs" | sort -u)
    [ -z "$questions" ] || questions=$(cd "$store" && find $questions -maxdepth 1 -name '*.json*')
    tar czf "$3.part" --exclude 'weights*' --exclude 'checkpoint*' --exclude lock -C "$store" $questions $runs $cells
    mv "$3.part" "$3"
    echo "$(wc -l <<< "$new") runs in $3"
    ;;
*) usage ;;
esac

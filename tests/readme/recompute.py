"""Recomputes the numbers of pages from stored scores.

    recompute.py FOLDER PAGE…

A comment in a page names the scores of the text that follows it, up to the next heading or comment of this kind:

    <!-- scores configs/extrapolation.scores.csv: near = accuracy.near, far = accuracy.far, * = accuracy.near -->

It may name several files, with a space between them, whose rows have different names. In tables, a column "near, 512 (8x)" is then
accuracy.near at 512 tokens, and "64 (1x)" the metric of *. "near, 512 (8x), window" is that under a condition, where a cell may be a mean
alone, or – for a row that it does not fit. A row is called as in the scores, or by parts of one label, "rope, gpt2, ff=256"; a label in
italics ends with its name in brackets. A cell is a mean over seeds, with ± the sample standard deviation. In the
text, "0.43 (0.40 to 0.55)" is the median difference between two rows at the longest length and its interval, by the procedure of
experiments/README.md, and any other number with a decimal point is a mean over seeds. Uses nothing of the project's code.

The indented lines after a comment of this kind decide one pair of rows at the longest length, among all pairs in these metrics:

    <!-- example configs/extrapolation.scores.csv: alibi less rope, accuracy.near of accuracy.near, accuracy.far -->

"17 of the 20 pairs of rows at 512 tokens are decided" counts those pairs. In a paragraph after this comment, "19 of the 20 pairs" are those of
encodings that keep the sign of their mean difference at the longest length in all recipes:

    <!-- signs configs/footing.scores.csv -->

A table after the comment <!-- orders METRIC --> has pairs of lines: what a paper measured, in percent, and means over seeds and over all
lengths past the shortest of a config that the first cell names, [task](claims/NAME.cfg); then Kendall's tau-b of the two, and the share of
all orders of ours whose tau is at least as high.
"""
import collections
import itertools
import math
import pathlib
import re
import statistics
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from reference_statistics import Comparison, both_tails, decide, most_learned, read_scores, score_lines


def read_numbers(*paths):
    """As read_scores(), without rows that cannot run at a length."""
    scores, learned = read_scores(*paths)
    run = {key: seeds for key, seeds in scores.items() if not any(map(math.isnan, seeds.values()))}
    return collections.defaultdict(dict, run), learned


def wrong_counts(text, paths, names):
    """Numbers of targets: "at least 3,991 near and 246 far questions" are the fewest of a seed past the shortest length."""
    lines = [line for line in score_lines(*paths) if line["seed"] and line["condition"] == "trained"]
    shortest = min(int(line["length"]) for line in lines)
    for found in re.findall(r"at least ([\d,]+) (\w+) and ([\d,]+) (\w+) questions", text.replace("\n", " ")):
        for number, name in (found[:2], found[2:]):
            of_name = [line for line in lines if line["metric"] == names[name] and int(line["length"]) > shortest]
            fewest = min(int(line["tokens"]) for line in of_name)
            if number != f"{fewest:,}":
                yield f"got at least {number} {name} questions, expected {fewest:,}"


def all_pairs(scores, learned, metrics):
    """Comparisons of all pairs of ranked rows at the longest length, decided together."""
    longest = max(length for _, length, _, _ in scores)
    family = []
    for metric in metrics:
        ranked = [row for row, seeds in learned.items() if most_learned(seeds)]
        values = [scores[row, longest, "trained", metric] for row in ranked]
        for a, b in itertools.combinations(filter(None, values), 2):
            family.append(Comparison([a[seed] - b[seed] for seed in a]))
    decide(family)
    return family


def wrong_pairs(text, scores, learned, names):
    """A count of pairs that are decided."""
    family = all_pairs(scores, learned, [metric for name, metric in names.items() if name != "*"])
    expected = (str(sum(one.verdict != "undecided" for one in family)), str(len(family)))
    for found in re.findall(r"(\d+) of the (\d+) pairs of rows at \d+ tokens are decided", text):
        if found != expected:
            yield f"got {found[0]} of {found[1]} pairs decided, expected {expected[0]} of {expected[1]}"


def kept_signs(scores):
    """Of the pairs of encodings at the longest length, near and far: how many keep the sign of their mean difference in all recipes, and all."""
    longest = max(length for _, length, _, _ in scores)
    recipes = collections.defaultdict(dict)
    for row in {row for row, *_ in scores if ", init = " in row}:
        encoding, recipe = row.split(", init = ")
        recipes[recipe][encoding] = row
    counts = []
    for metric in ("accuracy.near", "accuracy.far"):
        means = [
            {name: statistics.mean(scores[row, longest, "trained", metric].values()) for name, row in rows.items()}
            for rows in recipes.values()
        ]
        for a, b in itertools.combinations(sorted(means[0]), 2):
            counts.append(len({mean[a] > mean[b] for mean in means}) == 1)
    return str(sum(counts)), str(len(counts))


def signs(root, text):
    """Each "19 of the 20 pairs" behind a comment, and what the scores give."""
    for path, block in re.findall(r"<!-- signs (\S+) -->\n\n(.*?)\n\n", text, flags=re.S):
        yield re.search(r"(\d+) of the (\d+) pairs", block).groups(), kept_signs(read_numbers(root / path)[0])


def comparisons(scores, learned, metrics):
    """Their median differences and intervals."""
    for one in all_pairs(scores, learned, metrics):
        for sign in (1, -1) if one.interval else ():
            low, high = sorted(sign * end for end in one.interval)
            yield f"{sign * statistics.median(one.differences):.2f} ({low:.2f} to {high:.2f})"


def cell_of(values):
    mean = f"{statistics.mean(values.values()):.3f}" if values else "fails"
    return f"{mean} ± {statistics.stdev(values.values()):.3f}" if len(values) > 1 else mean


def row_of(label, scores):
    """The row that a page calls so: "*sees 3 tokens (4-gram)*" is 4-gram, "rope, gpt2, ff=64" the one row whose label has all three."""
    label = re.sub(r"\*.*\((.*)\)\*", r"\1", label)
    rows = {row for row, *_ in scores}
    found = [row for row in rows if all(part in row for part in label.split(", "))]
    return label if label in rows or len(found) != 1 else found[0]


def wrong_cells(lines, scores, names):
    """Cells of a table that are not what the scores give."""
    titles, _, *rows = ([cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines)
    for row in rows:
        label = row_of(row[0], scores)
        for title, cell in zip(titles, row):
            found = re.fullmatch(r"(?:([^,]+), )?(\d+) \(\d+x\)(?:, (.+))?", title)
            if found and not (found[3] and cell in ("", "–")):  # a condition that does not fit the row
                key = (label, int(found[2]), found[3] or "trained", names[found[1] or "*"])
                expected = cell_of(scores.get(key, {}))
                if cell.strip("*") != expected and not (found[3] and expected.startswith(cell + " ±")):
                    yield f"{label}, {title}: got {cell}, expected {expected}"


def wrong_numbers(text, scores, learned, names):
    """Numbers of a text that are neither a comparison nor a mean."""
    compared = set(comparisons(scores, learned, [metric for name, metric in names.items() if name != "*"]))
    pattern = r"\d\.\d+ \(\d\.\d+ to \d\.\d+\)"
    for found in set(re.findall(pattern, text)) - compared:
        yield f"got {found}, expected a median difference and its interval, one of {sorted(compared)}"
    means = [statistics.mean(values.values()) for values in scores.values() if values]
    for number in re.findall(r"(?<![\w.])\d\.\d+", re.sub(pattern, "", text)):
        if all(f"{mean:.{len(number) - 2}f}" != number for mean in means):
            yield f"got {number}, expected a mean over seeds"


def example(scores, learned, row, other, metric, metrics):
    """The lines that decide one pair, from its differences to what is printed."""
    longest = max(length for _, length, _, _ in scores)
    a, b = (scores[name, longest, "trained", metric] for name in (row, other))
    differences = [a[seed] - b[seed] for seed in a]
    n, one, family = len(differences), Comparison(differences), all_pairs(scores, learned, metrics)
    k, pairs = max(one.ahead, one.behind), sum(other.p() >= one.p() for other in family)
    j = max(j for j in range(1, n + 1) if both_tails(n, j - 1) <= 0.05 / pairs)
    median, low, high = statistics.median(differences), one.differences[j - 1], one.differences[n - j]
    return [
        f"d_1 … d_{n} " + ", ".join(f"{d:.3f}" for d in differences),
        f"p 2 · P(Bin({n}, ½) ≥ {k}) = {one.p():.5f}",
        f"α 0.05 / {pairs} = {0.05 / pairs:.5f}, because {pairs} pairs have at least this p",
        f"j {j}, because 2 · P(Bin({n}, ½) < {j}) = {both_tails(n, j - 1):.5f}, "
        f"and 2 · P(Bin({n}, ½) < {j + 1}) = {both_tails(n, j):.5f}",
        f"by {median:.3f} ({low:.3f} to {high:.3f}), which is printed as {median:.2f} ({low:.2f} to {high:.2f})",
    ]


def examples(root, text):
    """Each line of the examples, and what the scores give."""
    pattern = r"<!-- example (\S+): (\w+) less (\w+), (\S+) of (.*?) -->\n\n((?: {6}.*\n)+)"
    for path, row, other, metric, metrics, block in re.findall(pattern, text):
        lines = [re.sub(" {2,}", " ", line.strip()) for line in block.splitlines()]
        yield from itertools.zip_longest(lines, example(*read_numbers(root / path), row, other, metric, metrics.split(", ")))


def tau(a, b):
    """Kendall's tau-b."""
    signs = [((x > u) - (x < u), (y > v) - (y < v)) for (x, y), (u, v) in itertools.combinations(zip(a, b), 2)]
    untied = math.prod(sum(pair[side] != 0 for pair in signs) for side in (0, 1))
    return sum(x * y for x, y in signs) / math.sqrt(untied) if untied else math.nan


def order(theirs, scores, task, encodings, metric):
    """The cells of a line of ours."""
    lengths = sorted({length for _, length, _, _ in scores})[1:]
    begin = f"name = {task}, "
    begin = begin if any(row.startswith(begin) for row, *_ in scores) else ""
    rows = [[scores[begin + name, length, "trained", metric].values() for length in lengths] for name in encodings]
    means = [statistics.mean(statistics.mean(seeds) for seeds in row) for row in rows]
    found = tau(theirs, means)
    as_high = [tau(theirs, other) > found - 1e-9 for other in itertools.permutations(means)]
    return [*(f"{mean:.3f}" for mean in means), f"{found:.2f}", f"{statistics.mean(as_high):.3f}"]


def orders(path, content):
    """Each line of ours, and what the scores give."""
    for metric, block in re.findall(r"<!-- orders (\S+) -->\n\n((?:\|.*\n)+)", content):
        titles, _, *lines = ([cell.strip() for cell in line.strip().strip("|").split("|")] for line in block.splitlines())
        for theirs, ours in zip(lines[0::2], lines[1::2]):
            task, config = re.fullmatch(r"\[(.*)\]\((.*)\.cfg\)", ours[0]).groups()
            scores, _ = read_numbers(path.parent / f"{config}.scores.csv")
            numbers = [float(cell) for cell in theirs[2:-2]]
            yield ours[2:], order(numbers, scores, task, titles[2:-2], metric)


def check(root, page):
    """Prints what is wrong with a page, and returns how many numbers stood under a comment, and how many mistakes."""
    content = (root / page).read_text()
    pairs = [*examples(root, content), *orders(root / page, content), *signs(root, content)]
    checked = sum(len(re.findall(r"\d\.\d+", str(got))) for got, _ in pairs)
    mistakes = [f"got {got}, expected {expected}" for got, expected in pairs if got != expected]
    parts = re.split(r"<!-- scores ([^:]+): (.*?) -->", content)
    for before, files, mapping, rest in zip(parts[0::3], parts[1::3], parts[2::3], parts[3::3]):
        section = re.split(r"^#+ ", rest, flags=re.M)[0]
        paths = [root / file for file in files.split()]
        scores, learned = read_numbers(*paths)
        names = dict(part.strip().split(" = ") for part in mapping.split(","))
        lines = section.splitlines()
        text = "\n".join(line for line in lines if not line.startswith("|"))
        for is_table, block in itertools.groupby(lines, key=lambda line: line.startswith("|")):
            mistakes += wrong_cells(block, scores, names) if is_table else []
        mistakes += wrong_numbers(text, scores, learned, names)
        mistakes += wrong_pairs(text, scores, learned, names)
        mistakes += wrong_counts(before.split("\n#")[-1] + text, paths, names)
        checked += len(re.findall(r"\d\.\d+", section))
    print("".join(f"{page}: {mistake}\n" for mistake in mistakes), end="")
    return checked, len(mistakes)


def main():
    root = pathlib.Path(sys.argv[1])
    results = [check(root, page) for page in sys.argv[2:]]
    print(f"{sum(checked for checked, _ in results)} numbers recomputed")
    return 1 if any(checked == 0 or mistakes for checked, mistakes in results) else 0


sys.exit(main())

"""Encodings written again in NumPy from `extrapolation --list NAME` and framework/README.md alone, against `parity`.

    python3 tests/numpy/reimplement.py [build/bin/parity]

Needs NumPy and a build. Random weights, a small causal decoder and an encoder, sequences longer than the
training length, everything in double. Prints the largest difference of a logit for each case and fails if one
exceeds 1e-9. Not part of the suite: it shows that the texts are complete, and is to be run when they change.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

LENGTH = 40  # tokens of a sequence
L = 16  # training length
WIDTH, HEADS, KV_HEADS, LAYERS, FF, VOCAB = 24, 3, 1, 2, 20, 11
D_HEAD = WIDTH // HEADS
POSITIONS = np.arange(LENGTH, dtype=float)
N = np.abs(POSITIONS[:, None] - POSITIONS[None, :])  # |p_i - p_j|


def kerple_log(w, q, k, layer, head, causal):
    r1 = 0.01 + abs(w["kerple_log.scale"][layer, head])
    r2 = 0.01 + abs(w["kerple_log.rate"][layer, head])
    return -r1 * np.log(1 + r2 * N)


def kerple_power(w, q, k, layer, head, causal):
    r1 = 0.01 + abs(w["kerple_power.scale"][layer, head])
    r2 = 0.01 + abs(w["kerple_power.exponent"][layer, head])
    return -r1 * np.where(N > 0, N ** min(r2, 2), 0)


def fire(w, q, k, layer, head, causal):
    def psi(n):
        return np.log(abs(w["fire.scale"][layer]) * n + 1)

    last_seen = POSITIONS if causal else np.full(LENGTH, POSITIONS[-1])
    longest = np.maximum(abs(w["fire.threshold"][layer]) * L, last_seen)
    x = psi(N) / (psi(longest)[:, None] + 1e-6)
    hidden = x[..., None] * w["fire.hidden.weight"][layer] + w["fire.hidden.bias"][layer]
    return np.maximum(hidden, 0) @ w["fire.output.weight"][layer * HEADS + head]


def transformer_xl(w, q, k, layer, head, causal):
    omega = 10000.0 ** (-2 * np.arange(WIDTH // 2) / WIDTH)
    angles = (POSITIONS[:, None] - POSITIONS[None, :])[..., None] * omega
    s = np.concatenate([np.sin(angles), np.cos(angles)], -1)
    weight = w[f"transformer_xl.{layer}.weight"][head * D_HEAD : (head + 1) * D_HEAD]
    r = s @ weight.T
    u, v = w["transformer_xl.u"][head], w["transformer_xl.v"][head]
    return (np.einsum("id,ijd->ij", q, r) + (k @ u)[None, :] + r @ v) / math.sqrt(D_HEAD)


def t5_row(rho, causal, buckets):
    side = buckets if causal else buckets // 2
    n = max(-rho, 0) if causal else abs(rho)
    e = side // 2
    furthest = max(L, 2 * e)
    if n >= e:
        n = min(e + math.floor((side - e) * math.log(n / e) / math.log(furthest / e) + 1e-9), side - 1)
    return n + (side if not causal and rho > 0 else 0)


def t5(w, q, k, layer, head, causal):
    table = w["t5.bias"]
    rows = [[t5_row(j - i, causal, len(table)) for j in range(LENGTH)] for i in range(LENGTH)]
    return table[np.array(rows), head]


def cope(w, q, k, layer, head, causal):
    table = w[f"cope.{layer}.table"]
    gates = 1 / (1 + np.exp(-(q @ k.T) / math.sqrt(D_HEAD)))
    z = np.concatenate([q @ table.T / math.sqrt(D_HEAD), np.zeros((LENGTH, 1))], 1)
    term = np.zeros((LENGTH, LENGTH))
    for i in range(LENGTH):
        for j in range(i + 1):
            p = min(gates[i, j : i + 1].sum(), len(table) - 1)
            low = math.floor(p)
            term[i, j] = (1 - p + low) * z[i, low] + (p - low) * z[i, low + 1]
    return term


def ssmax(w, q, k, layer, head, causal):
    seen = np.arange(1, LENGTH + 1) if causal else np.full(LENGTH, LENGTH)
    return (w["ssmax.scale"][layer, head] * np.log(seen) - 1)[:, None] * (q @ k.T) / math.sqrt(D_HEAD)


def tupe(w, q, k, layer, head, causal):
    rows = slice(head * D_HEAD, (head + 1) * D_HEAD)
    p = w["tupe.learned.table"][:LENGTH]
    positions = (p @ w["tupe.query"][rows].T) @ (p @ w["tupe.key"][rows].T).T
    return (q @ k.T + positions) / math.sqrt(2 * D_HEAD) - q @ k.T / math.sqrt(D_HEAD)


def forgetting(w, q, k, layer, head, causal):
    gates = 1 / (1 + np.exp(-(w["x"] @ w[f"forgetting.{layer}.weight"][head] + w[f"forgetting.{layer}.bias"][head])))
    term = np.zeros((LENGTH, LENGTH))
    for i in range(LENGTH):
        for j in range(i):
            term[i, j] = np.log(gates[j + 1 : i + 1]).sum()
    return term


def shaw_rows():
    return np.clip(POSITIONS[None, :] - POSITIONS[:, None], -(L // 4), L // 4).astype(int) + L // 4


def shaw(w, q, k, layer, head, causal):
    return np.einsum("id,ijd->ij", q, w[f"shaw.{layer}.key"][shaw_rows()]) / math.sqrt(D_HEAD)


def shaw_values(w, weights, layer):
    return np.einsum("ij,ijd->id", weights, w[f"shaw.{layer}.value"][shaw_rows()])


def longrope(x, unchanged=5, given=(1.0, 1.5, 6.0)):
    n = D_HEAD // 2
    theta = 10000.0 ** (-2 * np.arange(n) / D_HEAD)
    factors = []
    for i in range(n):
        place = i * (len(given) - 1) / (n - 1)
        low = min(math.floor(place), len(given) - 2)
        factors.append(given[low] ** (1 - place + low) * given[low + 1] ** (place - low))
    slowed = np.where(POSITIONS[:, None] < unchanged, theta, theta / np.array(factors))
    angles = POSITIONS[:, None] * slowed
    y = x.copy()
    a, b = x[:, 0::2], x[:, 1::2]
    y[:, 0::2] = a * np.cos(angles) - b * np.sin(angles)
    y[:, 1::2] = a * np.sin(angles) + b * np.cos(angles)
    return y


def yarn(x, r=D_HEAD, s=LENGTH / L, alpha=1.0):
    beta = max(alpha + 1, min(32, L / (4 * math.pi)))
    theta = 10000.0 ** (-2 * np.arange(r // 2) / r)
    gamma = np.clip((L * theta / (2 * math.pi) - alpha) / (beta - alpha), 0, 1)
    angles = POSITIONS[:, None] * ((1 - gamma) * theta / s + gamma * theta)
    m = 0.1 * math.log(s) + 1
    y = x.copy()  # dimensions from r on stay
    a, b = x[:, 0:r:2], x[:, 1:r:2]
    y[:, 0:r:2] = m * (a * np.cos(angles) - b * np.sin(angles))
    y[:, 1:r:2] = m * (a * np.sin(angles) + b * np.cos(angles))
    return y


def yarn_half_rotated(x):
    return yarn(x, D_HEAD // 2)


def layers_of(shape, name):
    return {name.replace("<layer>", str(layer)): shape for layer in range(LAYERS)}


PER_HEAD = (LAYERS, HEADS)
TUPE = f"tupe(embedding=learned(max_seq_len={LENGTH}))"
SHAW = "shaw(value_table=true)"
ROPE = {"positional.encoding": "rope", "positional.positions": "yarn"}
# name: (what is added to the scores, what rotates queries and keys, shapes of parameters, settings, encoder too)
CASES = {
    "kerple_log": (kerple_log, None, {"kerple_log.scale": PER_HEAD, "kerple_log.rate": PER_HEAD}, {}, True),
    "kerple_power": (kerple_power, None, {"kerple_power.scale": PER_HEAD, "kerple_power.exponent": PER_HEAD}, {}, True),
    "fire": (fire, None, {"fire.scale": (LAYERS,), "fire.threshold": (LAYERS,), "fire.hidden.weight": (LAYERS, 32),
                          "fire.hidden.bias": (LAYERS, 32), "fire.output.weight": (LAYERS * HEADS, 32)}, {}, True),
    "transformer_xl": (transformer_xl, None, {"transformer_xl.u": (HEADS, D_HEAD), "transformer_xl.v": (HEADS, D_HEAD),
                                              **layers_of((WIDTH, WIDTH), "transformer_xl.<layer>.weight")}, {}, True),
    "t5": (t5, None, {"t5.bias": (32, HEADS)}, {}, True),
    "t5(buckets=10)": (t5, None, {"t5.bias": (10, HEADS)}, {}, True),
    "cope": (cope, None, layers_of((L, D_HEAD), "cope.<layer>.table"), {}, False),
    "ssmax": (ssmax, None, {"ssmax.scale": PER_HEAD}, {}, True),
    TUPE: (tupe, None, {"tupe.learned.table": (LENGTH, WIDTH), "tupe.query": (WIDTH, WIDTH),
                        "tupe.key": (WIDTH, WIDTH)}, {}, True),
    "forgetting": (forgetting, None, {**layers_of((HEADS, WIDTH), "forgetting.<layer>.weight"),
                                      **layers_of((HEADS,), "forgetting.<layer>.bias")}, {}, False),
    SHAW: (shaw, None, {**layers_of((2 * (L // 4) + 1, D_HEAD), "shaw.<layer>.key"),
                        **layers_of((2 * (L // 4) + 1, D_HEAD), "shaw.<layer>.value")}, {}, True),
    "rope@longrope": (None, longrope, {}, {
        "positional.encoding": "rope",
        "positional.positions": "longrope(longrope_factors=1 1.5 6, longrope_unchanged=5)"}, True),
    "rope@yarn": (None, yarn, {}, ROPE, True),
    "rope(rotary_fraction=0.5)@yarn": (None, yarn_half_rotated, {},
                                       {**ROPE, "positional.encoding": "rope(rotary_fraction=0.5)"}, True),
}


def model_shapes():
    shapes = {"token_embedding.weight": (VOCAB, WIDTH), "final_norm.weight": (WIDTH,), "final_norm.bias": (WIDTH,)}
    for layer in range(LAYERS):
        block = f"block.{layer}."
        for branch in ("attention", "feed_forward"):
            shapes |= {f"{block}{branch}_norm.weight": (WIDTH,), f"{block}{branch}_norm.bias": (WIDTH,)}
        for name, rows, columns in (("attention.qkv", (HEADS + 2 * KV_HEADS) * D_HEAD, WIDTH),
                                    ("attention.output", WIDTH, WIDTH), ("feed_forward.up", FF, WIDTH),
                                    ("feed_forward.down", WIDTH, FF)):
            shapes |= {f"{block}{name}.weight": (rows, columns), f"{block}{name}.bias": (rows,)}
    return shapes


def logits(w, own, tokens, term, rotate, values, causal):
    def linear(x, name):
        return x @ w[name + ".weight"].T + w[name + ".bias"]

    def norm(x, name):
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * w[name + ".weight"] + w[name + ".bias"]

    def attention(x, layer):
        qkv = linear(x, f"block.{layer}.attention.qkv").reshape(LENGTH, HEADS + 2 * KV_HEADS, D_HEAD)
        out = []
        for head in range(HEADS):
            kv = head // (HEADS // KV_HEADS)
            q, k, v = qkv[:, head], qkv[:, HEADS + kv], qkv[:, HEADS + KV_HEADS + kv]
            if rotate:
                q, k = rotate(q), rotate(k)
            scores = q @ k.T / math.sqrt(D_HEAD)
            if term:
                scores = scores + term(own | {"x": x}, q, k, layer, head, causal)
            if causal:
                scores[np.triu_indices(LENGTH, 1)] = -np.inf
            weights = np.exp(scores - scores.max(-1, keepdims=True))
            weights = weights / weights.sum(-1, keepdims=True)
            out.append(weights @ v + (values(own, weights, layer) if values else 0))
        return linear(np.concatenate(out, -1), f"block.{layer}.attention.output")

    x = math.sqrt(WIDTH) * w["token_embedding.weight"][tokens]
    for layer in range(LAYERS):
        block = f"block.{layer}."
        x = x + attention(norm(x, block + "attention_norm"), layer)
        up = linear(norm(x, block + "feed_forward_norm"), block + "feed_forward.up")
        gelu = up * 0.5 * (1 + np.vectorize(math.erf)(up / math.sqrt(2)))
        x = x + linear(gelu, block + "feed_forward.down")
    return norm(x, "final_norm") @ w["token_embedding.weight"].T


def write_safetensors(path, tensors, metadata):
    header, blob = {"__metadata__": metadata}, b""
    for name, value in tensors.items():
        header[name] = {"dtype": "F64", "shape": value.shape, "data_offsets": [len(blob), len(blob) + value.nbytes]}
        blob += value.tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + blob)


def read_safetensors(path, name):
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    entry = json.loads(data[8 : 8 + size])[name]
    begin, end = entry["data_offsets"]
    return np.frombuffer(data[8 + size + begin : 8 + size + end]).reshape(entry["shape"])


def difference(parity, folder, name, causal, random):
    term, rotate, own_shapes, settings, _ = CASES[name]
    values = shaw_values if name == SHAW else None
    weights = {key: random.normal(size=shape) * 0.4 for key, shape in model_shapes().items()}
    own = {key: random.normal(size=shape) for key, shape in own_shapes.items()}
    tokens = random.integers(VOCAB, size=(2, LENGTH))
    metadata = {"model.d_model": WIDTH, "model.heads": HEADS, "model.n_kv_heads": KV_HEADS, "model.layers": LAYERS,
                "model.block": f"attention, feed_forward(ff={FF})", "model.causal": "true" if causal else "false",
                "positional.encoding": name, "positional.train_length": L, **settings}
    write_safetensors(folder / "model.safetensors", weights | {"positional." + key: own[key] for key in own},
                      {key: str(value) for key, value in metadata.items()})
    np.save(folder / "tokens.npy", tokens)
    np.save(folder / "targets.npy", tokens)
    subprocess.run([parity, "--quiet", "--model", folder / "model.safetensors", "--tokens", folder / "tokens.npy",
                    "--targets", folder / "targets.npy", "--precision", "double", "--out", folder / "out.safetensors"],
                   check=True, stdout=subprocess.DEVNULL)
    theirs = read_safetensors(folder / "out.safetensors", "logits")
    ours = np.stack([logits(weights, own, sequence, term, rotate, values, causal) for sequence in tokens])
    return np.abs(ours - theirs).max()


def main():
    parity = sys.argv[1] if len(sys.argv) > 1 else "build/bin/parity"
    random = np.random.default_rng(1)
    largest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for name, (*_, encoder_too) in CASES.items():
            for causal in [True, False] if encoder_too else [True]:
                found = difference(parity, pathlib.Path(folder), name, causal, random)
                print(f"{name:38} {'decoder' if causal else 'encoder'}  {found:.1e}")
                largest = max(largest, found)
    sys.exit(0 if largest < 1e-9 else 1)


main()

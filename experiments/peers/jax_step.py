"""Times the training step of experiments/benchmark.cpp in JAX: the same model, batch, clipping and optimizer.

One process times one setting: `jax_step.py SIZE STEPS` prints the median milliseconds. The whole step is one jitted
function that overwrites its state; XLA uses the processors that the process may run on.
"""
import statistics
import sys
import time

import jax
import jax.numpy as jnp

SIZES = {  # vocab_size, d_model, heads, layers, seq_len, batch
    "tiny": (32, 64, 4, 2, 64, 32),
    "small": (64, 128, 4, 4, 128, 16),
    "medium": (256, 256, 8, 4, 256, 8),
    "big": (1024, 512, 8, 6, 512, 4),
}


def init(key, vocab_size, width, layers, length):
    def weight(rows, cols, number):
        return 0.02 * jax.random.normal(jax.random.fold_in(key, number), (rows, cols))

    def norm():
        return {"scale": jnp.ones(width), "bias": jnp.zeros(width)}

    blocks = [
        {"norm_1": norm(), "norm_2": norm(),
         "qkv": weight(width, 3 * width, 4 * i + 2), "qkv_bias": jnp.zeros(3 * width),
         "output": weight(width, width, 4 * i + 3), "output_bias": jnp.zeros(width),
         "up": weight(width, 4 * width, 4 * i + 4), "up_bias": jnp.zeros(4 * width),
         "down": weight(4 * width, width, 4 * i + 5), "down_bias": jnp.zeros(width)}
        for i in range(layers)
    ]
    return {"tokens": weight(vocab_size, width, 0), "positions": weight(length, width, 1), "blocks": blocks,
            "norm": norm()}


def layer_norm(x, p):
    centred = x - x.mean(-1, keepdims=True)
    return p["scale"] * centred * jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) + p["bias"]


def loss_of(params, tokens, targets, heads):
    x = params["tokens"][tokens] + params["positions"]
    batch, length, width = x.shape
    for p in params["blocks"]:
        qkv = (layer_norm(x, p["norm_1"]) @ p["qkv"] + p["qkv_bias"]).reshape(batch, length, 3, heads, width // heads)
        q, k, v = qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2]
        y = jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(batch, length, width)
        x = x + y @ p["output"] + p["output_bias"]
        h = jax.nn.gelu(layer_norm(x, p["norm_2"]) @ p["up"] + p["up_bias"], approximate=False)
        x = x + h @ p["down"] + p["down_bias"]
    log_p = jax.nn.log_softmax(layer_norm(x, params["norm"]) @ params["tokens"].T)
    return -jnp.take_along_axis(log_p, targets[..., None], -1).mean()


def adamw(param, grad, m, v, t):
    m = 0.9 * m + 0.1 * grad
    v = 0.95 * v + 0.05 * grad**2
    update = (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.95**t)) + 1e-8)
    return param - 1e-3 * (update + 0.01 * param), m, v


def main():
    size, steps = sys.argv[1], int(sys.argv[2])
    vocab_size, width, heads, layers, length, batch = SIZES[size]
    key = jax.random.key(1)
    params = init(key, vocab_size, width, layers, length)
    zeros = jax.tree.map(jnp.zeros_like, params)
    state = (params, zeros, jax.tree.map(jnp.zeros_like, params), jnp.float32(0))
    tokens, targets = jax.random.randint(key, (2, batch, length), 0, vocab_size)

    def step(state, tokens, targets):
        params, m, v, t = state
        grads = jax.grad(loss_of)(params, tokens, targets, heads)
        length_of_gradient = jnp.sqrt(sum((g**2).sum() for g in jax.tree.leaves(grads)))
        grads = jax.tree.map(lambda g: g * jnp.minimum(1.0, 1.0 / (length_of_gradient + 1e-6)), grads)
        updated = jax.tree.map(lambda *leaf: adamw(*leaf, t + 1), params, grads, m, v)
        params, m, v = (jax.tree.map(lambda leaf: leaf[i], updated, is_leaf=lambda leaf: isinstance(leaf, tuple))
                        for i in range(3))
        return params, m, v, t + 1

    step = jax.jit(step, donate_argnums=0)
    times = []
    for number in range(steps + 3):
        start = time.perf_counter()
        state = jax.block_until_ready(step(state, tokens, targets))
        if number >= 3:
            times.append(1e3 * (time.perf_counter() - start))
    print(f"{statistics.median(times):.3f}")


if __name__ == "__main__":
    main()

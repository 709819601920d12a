// The formulas that explorer.html computes by itself, so that base and width can be changed. tests/page/explore holds them
// against the numbers of the library.
'use strict';

// ω_i = base^(-2i/width) for i = 0 … width/2 - 1, radians a position.
function frequencies(width, base) {
  return Array.from({length: width / 2}, (_, i) => base ** (-2 * i / width));
}

// The rows PE(p), with sin(p ω_i) in column 2i and cos(p ω_i) in column 2i + 1.
function sinusoids(positions, width, base) {
  const speeds = frequencies(width, base);
  return positions.map((p) => speeds.flatMap((speed) => [Math.sin(p * speed), Math.cos(p * speed)]));
}

const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

// For each pair of columns the rotation (cos, sin) that best takes row t to row t + k, over all t: with the rows (a, b) and
// (c, d) of a pair, tan θ = Σ (b c - a d) / Σ (a c + b d). These are the blocks [cos sin; -sin cos] of M_k.
function rotations(rows, k) {
  return Array.from({length: Math.floor(rows[0].length / 2)}, (_, i) => {
    let [along, across] = [0, 0];
    for (let t = 0; t + k < rows.length; ++t) {
      const [a, b, c, d] = [rows[t][2 * i], rows[t][2 * i + 1], rows[t + k][2 * i], rows[t + k][2 * i + 1]];
      along += a * c + b * d;
      across += b * c - a * d;
    }
    const size = Math.hypot(along, across);
    return size > 0 ? {cos: along / size, sin: across / size} : {cos: 1, sin: 0};
  });
}

// max_t ‖M_k row t - row t + k‖.
function missed(rows, k, blocks) {
  let most = 0;
  for (let t = 0; t + k < rows.length; ++t) {
    let sum = 0;
    blocks.forEach(({cos, sin}, i) => {
      const [a, b] = [rows[t][2 * i], rows[t][2 * i + 1]];
      sum += (cos * a + sin * b - rows[t + k][2 * i]) ** 2 + (cos * b - sin * a - rows[t + k][2 * i + 1]) ** 2;
    });
    most = Math.max(most, Math.sqrt(sum));
  }
  return most;
}

// What pair i adds to the product of a query and a key of ones at distance n, for a rotary formula of numbers.h.
function pairProduct({base, width, gamma, scale}, i, n) {
  const share = 2 * i / width;
  const fade = scale > 0 ? ((share + gamma) / (1 + gamma)) ** (n / scale) : 1;
  return 2 * fade * Math.cos(n * base ** -share);
}

// The whole product.
function rotaryProduct(formula, n) {
  let product = formula.rest;
  for (let i = 0; i < formula.width / 2; ++i) product += pairProduct(formula, i, n);
  return product;
}

function softmax(scores) {
  const most = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(score - most));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

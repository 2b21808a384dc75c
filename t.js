function f(n, m) {
  const ok = n < m;
  return ok;
}

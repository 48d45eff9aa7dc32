/** The same action of the same person over and over is told once, as of its newest, with how often it was done. */
export function foldRepeats<Row extends { actor: string; area: string; name: string; outcome: string }>(
  rows: readonly Row[],
): (Row & { times: number })[] {
  const folded: (Row & { times: number })[] = []
  for (const row of rows) {
    const last = folded.at(-1)
    if (last !== undefined && (['actor', 'area', 'name', 'outcome'] as const).every((key) => last[key] === row[key])) last.times += 1
    else folded.push({ ...row, times: 1 })
  }
  return folded
}

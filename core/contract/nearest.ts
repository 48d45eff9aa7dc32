// For what was misspelt: the name that was probably meant.

/** The known name that differs in the fewest letters, where it is near enough. */
export function nearestTo(name: string, known: readonly string[], nearEnough = 2): string | undefined {
  // What is so much longer or shorter cannot be near, and to compare a million letters would hold up everybody else.
  const [nearest] = known
    .filter(({ length }) => Math.abs(length - name.length) <= nearEnough)
    .map((one) => ({ one, distance: distanceOf(name.toLowerCase(), one.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)
  // Of a short name so many letters are another name.
  return nearest !== undefined && nearest.distance <= Math.min(nearEnough, Math.ceil(name.length / 3)) ? nearest.one : undefined
}

/** How many letters must be added, left out or changed to make one of the other (Levenshtein). */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length] ?? 0
}

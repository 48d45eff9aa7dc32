// A variable that looks like a setting and is none was misspelt. Passed by in silence, the server would run with what it was meant to change.

export const settingNames = [
  'CHANCERY_PORT',
  'CHANCERY_HOST',
  'CHANCERY_ORIGIN',
  'CHANCERY_PKI_URL',
  'CHANCERY_DATA',
  'CHANCERY_KEY_FILE',
  'CHANCERY_SMTP_URL',
  'CHANCERY_TLS_CERT',
  'CHANCERY_TLS_KEY',
  'CHANCERY_TRUST_PROXY',
  'CHANCERY_LOG',
  'CHANCERY_METRICS_TOKEN',
  'CHANCERY_PKCS11_MODULES',
  'CHANCERY_PROCESSES',
  'CHANCERY_BACKUP_PASSPHRASE',
] as const

const nearEnough = 4

/** A sentence for each, with the name that was probably meant. */
export function unknownSettings(environment: Record<string, string | undefined>): string[] {
  return Object.keys(environment)
    .filter((name) => /^CHANC[A-Z]*_/i.test(name) && !settingNames.some((known) => known === name))
    .map((name) => {
      const [nearest] = settingNames.map((known) => ({ known, distance: distanceOf(name.toUpperCase(), known) })).toSorted((a, b) => a.distance - b.distance)
      return `There is no setting ${name}: it does nothing.${nearest !== undefined && nearest.distance <= nearEnough ? ` Did you mean ${nearest.known}?` : ''}`
    })
}

/** How many letters must be added, left out or changed to make one of the other (Levenshtein). */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length] ?? 0
}

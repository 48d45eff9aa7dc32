// How good a chosen password looks while it is typed. The server has the last word: it also knows the common and the breached ones.

export const shortestPassword = 12

export type Strength = { level: 0 | 1 | 2 | 3; says: string; missing: number }

/** Length is what counts; a text of few different characters, of the person's own names, or that is common, is not long. `isCommon` is undefined until the list is there: then nothing is called good yet. */
export function passwordStrength(password: string, own: readonly string[] = [], isCommon?: (password: string) => boolean): Strength {
  const length = [...password].length
  if (length < shortestPassword)
    return { level: 0, says: '{missing, plural, one {One more character} other {# more characters}}', missing: shortestPassword - length }
  const different = new Set(password.toLowerCase()).size
  const named = own.some((name) => name.length > 3 && password.toLowerCase().includes(name.toLowerCase()))
  if (different < 6 || (named && length < 20)) return { level: 1, says: 'Easy to guess', missing: 0 }
  if (isCommon === undefined) return { level: 1, says: 'Long enough', missing: 0 }
  if (isCommon(password)) return { level: 1, says: 'Common, or in a breach', missing: 0 }
  return length >= 18 ? { level: 3, says: 'Strong', missing: 0 } : { level: 2, says: 'Good', missing: 0 }
}

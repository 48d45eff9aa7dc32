// Reads whole numbers that somebody typed, and keeps them between bounds.

/** Undefined where nothing was typed, NaN where it is no whole number: digits only, with a sign only where the field may be negative. */
export function typedInteger(text: string, { sign = false }: { sign?: boolean } = {}): number | undefined {
  const typed = text.trim()
  if (typed === '') return undefined
  const value = (sign ? /^[+-]?\d+$/ : /^\d+$/).test(typed) ? Number(typed) : Number.NaN
  return Number.isSafeInteger(value) ? value : Number.NaN
}

export const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value))

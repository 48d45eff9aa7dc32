import type { ValueKey } from '../values.ts'
import type { StoredValue } from './store.ts'

/** A secret leaves without its value, whether it is set or not. */
export function presentValue(key: ValueKey, stored: StoredValue | undefined) {
  const { label, hint, kind } = key
  const about = { key: key.key, label, hint, kind, ...(stored === undefined ? {} : { setAt: stored.set_at.toISOString() }) }
  if (key.kind === 'secret') return about
  return {
    ...about,
    initial: key.initial,
    value: stored?.value ?? key.initial,
    ...(key.kind === 'number' ? { min: key.min, max: key.max, unit: key.unit } : {}),
  }
}

/** A text that a navigation brought along; undefined where it brought none by that name. */
export function textIn(state: unknown, name: string): string | undefined {
  const value: unknown = typeof state === 'object' && state !== null ? Object.entries(state).find(([key]) => key === name)?.[1] : undefined
  return typeof value === 'string' ? value : undefined
}

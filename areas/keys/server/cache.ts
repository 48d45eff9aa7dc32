// Opened keys, the most recently used ones of each house. Two that ask at once for the same key share one opening; a failed opening
// is forgotten, so that the next asker tries again.

export type HandleCache<H> = { get(owner: object, name: string, open: () => Promise<H>): Promise<H> }

export function handleCache<H>(most: number): HandleCache<H> {
  const byOwner = new WeakMap<object, Map<string, Promise<H>>>()
  return {
    get(owner, name, open) {
      const cached = byOwner.get(owner) ?? new Map<string, Promise<H>>()
      byOwner.set(owner, cached)
      const found = cached.get(name) ?? open()
      // A Map keeps the order of insertion: put back at the end, the first one is the least recently used.
      cached.delete(name)
      cached.set(name, found)
      const [oldest] = cached.keys()
      if (cached.size > most && oldest !== undefined) cached.delete(oldest)
      found.catch(() => {
        if (cached.get(name) === found) cached.delete(name)
      })
      return found
    },
  }
}

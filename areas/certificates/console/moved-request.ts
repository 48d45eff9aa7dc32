// What was filled in before it was said for whom the certificate is: the form of the other kind begins with it.

import type { RequestValues } from './request-values.ts'

type Moved = Pick<RequestValues, 'csr' | 'friendlyName' | 'contactEmail' | 'comment'>

let moved: Moved | undefined

export function keepMoved({ csr, friendlyName, contactEmail, comment }: RequestValues): void {
  moved = { csr, friendlyName, contactEmail, comment }
}

/** Once: a form that is opened later begins empty. */
export function takeMoved(): Partial<RequestValues> {
  const taken = moved
  moved = undefined
  return { ...taken, ...(taken === undefined || taken.csr.trim() === '' ? {} : { keyFrom: 'csr' as const }) }
}

// The link to where a request stands. Id and secret stand behind the #, so that neither the server's log nor another page is ever sent them.

import { to } from '#core/contract/paths.ts'
import { portal } from '../contract.ts'

type Receipt = { requestId: string; secret: string }

export const receiptLink = ({ requestId, secret }: Receipt): string =>
  `${window.location.origin}${to(portal.screens.page)}#${new URLSearchParams({ request: requestId, secret }).toString()}`

export function receiptOf(hash: string): Receipt {
  const parameters = new URLSearchParams(hash.slice(1))
  return { requestId: parameters.get('request') ?? '', secret: parameters.get('secret') ?? '' }
}

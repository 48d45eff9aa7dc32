// The addresses of the protocol (RFC 8555 7.1), each with what answers it.

import type { EndpointHandlers } from '#core/server/serve.ts'
import type { acme } from '../contract.ts'
import { keyChange, newAccount, ordersOfAccount, ownAccountRequest } from './accounts.ts'
import { certificate, renewal, revoke } from './certificates.ts'
import { askedByGet, bySigned, directory, newNonce } from './directory.ts'
import { finalize } from './finalize.ts'
import { authorization, newAuthorization, newOrder, order, readAuthorization, readOrder } from './orders.ts'
import { challenge } from './validation.ts'
import { serveWire } from './wire.ts'

export const wireEndpoints: EndpointHandlers<typeof acme> = {
  wireDirectory: serveWire(directory),
  wireNonce: serveWire(newNonce),
  wireRenewal: serveWire(renewal),
  wireSignedDirectory: serveWire(bySigned(directory)),
  wireSignedNonce: serveWire(bySigned(newNonce)),
  wireByGet: serveWire(askedByGet),
  wireAccount: serveWire(newAccount),
  wireOwnAccount: serveWire(ownAccountRequest),
  wireOrders: serveWire(ordersOfAccount),
  wireKeyChange: serveWire(keyChange),
  wireNewOrder: serveWire(newOrder),
  wireNewAuthorization: serveWire(newAuthorization),
  wireOrder: serveWire(order, readOrder),
  wireFinalize: serveWire(finalize),
  wireAuthorization: serveWire(authorization, readAuthorization),
  wireChallenge: serveWire(challenge),
  wireCertificate: serveWire(certificate),
  wireChain: serveWire(certificate),
  wireRevoke: serveWire(revoke),
}

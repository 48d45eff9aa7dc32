// Where relying parties fetch an authority's certificate: the address stands in what it issues, so it needs no sign-in and never changes.

import { findPublicAddress } from '#areas/tenancy/service.ts'
import { inTenant } from '#core/server/database.ts'
import { commonFault } from '#core/server/fault.ts'
import type { EndpointHandler, EndpointHandlers, EndpointRequest } from '#core/server/serve.ts'
import type { authorities } from '../contract.ts'
import { otherCertificates } from './certify.ts'
import { forms, type DownloadFormat } from './download.ts'
import { findAuthority } from './store.ts'

export const publicEndpoints: EndpointHandlers<typeof authorities> = {
  authorityCertificate: door('der', 'application/pkix-cert'),
  authorityChain: door('chain', 'application/x-pem-file'),
  authorityPkcs7: door('pkcs7-chain', 'application/pkcs7-mime'),
}

function door(format: DownloadFormat, mediaType: string): EndpointHandler {
  return {
    async handle({ params, house }: EndpointRequest) {
      const address = await findPublicAddress(house.database, 'authority', params['publicId'] ?? '')
      if (address === undefined) throw commonFault('missing')
      const found = await inTenant(house.database, address.tenantId, async (db) => {
        const row = await findAuthority(db, address.tenantId, address.target)
        // Whoever comes to a message that holds many finds every path there is.
        return row?.certificate == null
          ? undefined
          : [row.certificate, ...row.issuer_chain, ...(format === 'pkcs7-chain' ? await otherCertificates(db, row, house.now()) : [])]
      })
      const [own, ...others] = found ?? []
      if (own === undefined) throw commonFault('missing')
      return {
        headers: { 'content-type': mediaType, 'cache-control': 'public, max-age=3600' },
        body: forms[format].encode([own, ...others]),
      }
    },
  }
}

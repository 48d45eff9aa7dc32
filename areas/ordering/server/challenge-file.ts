// Answers http-01 for names whose web servers forward here. The address has the tenancy in it, so that whoever controls a name says whose order may prove it:
// nobody proves the host of this installation, or a name of another tenancy, by it.

import { findPublicAddress } from '#areas/tenancy/service.ts'
import type { EndpointHandler } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { challengeAddressKind } from '../rules.ts'
import { findFile } from './order-store.ts'

const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
const missing = { status: 404, headers, body: 'There is no such file' }

export const challengeFile: EndpointHandler = {
  async handle({ params, house }) {
    const { publicId = '', token = '' } = params
    if (!/^[\w-]{12}$/.test(publicId) || !/^[\w-]{1,500}$/.test(token)) return missing
    const found = await findPublicAddress(house.database, challengeAddressKind, publicId)
    const content = found && (await withTenancy(house, found.tenantId, (tenancy) => findFile(tenancy, token)))
    return content === undefined ? missing : { headers, body: content }
  },
}

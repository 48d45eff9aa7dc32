// Where a renewal leads: to the new certificate, or to the request that it waits with.

import { certificatePath, myRequestPath } from '#areas/certificates/paths.ts'
import { useMay } from '#core/console/bootstrap.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import type { renewal, RenewalInfo } from '../contract.ts'

type Renewed = Pick<OutputOf<typeof renewal.calls.renew>, 'certificateId' | 'requestId'>

/** Who sees no certificates finds their own with what was asked for. */
export function useRenewedPath(): (info: Pick<RenewalInfo, 'entity'>, renewed: Renewed) => string {
  const may = useMay()
  return ({ entity }, { certificateId, requestId }) =>
    certificateId !== undefined && may('certView', 'View') ? certificatePath(certificateId) : myRequestPath(entity, requestId)
}

import { serve } from '#core/server/serve.ts'
import { licensing } from '../contract.ts'
import { tellOfLicenceEnds } from './end-notices.ts'
import { licenceHandlers } from './licences.ts'
import { rootHandlers } from './roots.ts'
import { usableHandlers } from './usable.ts'

export default serve(
  licensing,
  { ...licenceHandlers, ...usableHandlers, ...rootHandlers },
  { jobs: { ends: { inTenancy: tellOfLicenceEnds } } },
)

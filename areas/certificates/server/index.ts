import { serve } from '#core/server/serve.ts'
import { certificates } from '../contract.ts'
import { decidingHandlers, registerRequests } from './deciding.ts'
import { exportCertificates } from './export.ts'
import { tellOfExpiry } from './notices.ts'
import { finishUnfinished } from './recovery.ts'
import { requestHandlers } from './requests.ts'
import { viewingHandlers } from './viewing.ts'

export default serve(
  certificates,
  { ...requestHandlers, ...decidingHandlers, ...viewingHandlers },
  {
    endpoints: [exportCertificates],
    jobs: [
      { name: 'certificates.finish', title: 'Issue what was agreed to', every: '* * * * *', run: (house) => finishUnfinished(house) },
      { name: 'certificates.expiry', title: 'Tell of certificates that end soon', every: '17 * * * *', run: tellOfExpiry },
    ],
    async start(house) {
      registerRequests(house)
      await finishUnfinished(house, 0)
    },
  },
)

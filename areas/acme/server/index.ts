import { serve } from '#core/server/serve.ts'
import { acme } from '../contract.ts'
import { clientCalls } from './clients.ts'
import { directoryCalls } from './directories.ts'
import { wireEndpoints } from './endpoints.ts'
import { jobs } from './jobs.ts'
import { closeNonces, noncesOf } from './nonces.ts'
import { tryName } from './trying.ts'
import { validationsEnded } from './validation.ts'

export default serve(
  acme,
  { ...directoryCalls, ...clientCalls, tryName },
  {
    endpoints: wireEndpoints,
    jobs,
    // From the start on it hears what other servers ask about nonces.
    async start(house) {
      noncesOf(house)
    },
    async stop(house) {
      await validationsEnded(house)
      await closeNonces(house)
    },
  },
)

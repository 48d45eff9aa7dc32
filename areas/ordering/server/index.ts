import { serve } from '#core/server/serve.ts'
import { ordering } from '../contract.ts'
import { authorityCalls } from './authorities.ts'
import { challengeFile } from './challenge-file.ts'
import { jobs } from './jobs.ts'
import { orderCalls } from './orders.ts'
import { responderCalls } from './responder-calls.ts'
import { ordersEnded } from './running.ts'

export default serve(
  ordering,
  { ...authorityCalls, ...responderCalls, ...orderCalls },
  { endpoints: { challengeFile }, jobs, stop: ordersEnded },
)

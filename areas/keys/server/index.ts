import { serve } from '#core/server/serve.ts'
import { keys } from '../contract.ts'

export default serve(keys, {})

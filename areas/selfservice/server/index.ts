import { serve } from '#core/server/serve.ts'
import { selfservice } from '../contract.ts'

export default serve(selfservice, {})

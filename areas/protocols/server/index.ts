import { certificateDoor } from '#areas/mtls/service.ts'
import { offer } from '#core/contract/slots.ts'
import { deliveryKinds } from '#core/server/deliveries/kinds.ts'
import { serve } from '#core/server/serve.ts'
import { protocolRoom } from '../contract.ts'
import { cmpEndpoint } from './cmp.ts'
import { estByCertificate, estEndpoints } from './est.ts'
import { intuneCalls } from './intune-calls.ts'
import { intuneNotice } from './intune.ts'
import { jobs } from './jobs.ts'
import { profileCalls } from './profiles.ts'
import { scepEndpoint } from './scep.ts'
import { secretCalls } from './secrets.ts'
import { tpmCalls } from './tpm.ts'
import { ownPasswordCalls } from './windows-passwords.ts'
import { windowsByCertificate, windowsEndpoints } from './windows.ts'

export default serve(
  protocolRoom,
  { ...profileCalls, ...intuneCalls, ...secretCalls, ...ownPasswordCalls, ...tpmCalls },
  {
    endpoints: {
      scepGet: scepEndpoint,
      scepPost: scepEndpoint,
      scepProgramGet: scepEndpoint,
      scepProgramPost: scepEndpoint,
      ...estEndpoints,
      cmpPost: cmpEndpoint,
      ...windowsEndpoints,
    },
    offers: [offer(certificateDoor, estByCertificate), offer(certificateDoor, windowsByCertificate), offer(deliveryKinds, intuneNotice)],
    jobs,
  },
)

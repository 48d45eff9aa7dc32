// The rooms' console faces. A room without one yet is not in the list; the routes of its contract wait for it.

import archive from '#areas/archive/console/index.ts'
import audit from '#areas/audit/console/index.ts'
import authorities from '#areas/authorities/console/index.ts'
import bulk from '#areas/bulk/console/index.ts'
import certificates from '#areas/certificates/console/index.ts'
import decoder from '#areas/decoder/console/index.ts'
import enrolment from '#areas/enrolment/console/index.ts'
import health from '#areas/health/console/index.ts'
import home from '#areas/home/console/index.ts'
import imports from '#areas/imports/console/index.ts'
import jobs from '#areas/jobs/console/index.ts'
import keys from '#areas/keys/console/index.ts'
import licensing from '#areas/licensing/console/index.ts'
import mail from '#areas/mail/console/index.ts'
import portal from '#areas/portal/console/index.ts'
import preferences from '#areas/preferences/console/index.ts'
import renewal from '#areas/renewal/console/index.ts'
import reporting from '#areas/reporting/console/index.ts'
import revocation from '#areas/revocation/console/index.ts'
import roles from '#areas/roles/console/index.ts'
import search from '#areas/search/console/index.ts'
import sessions from '#areas/sessions/console/index.ts'
import setup from '#areas/setup/console/index.ts'
import templates from '#areas/templates/console/index.ts'
import tenancy from '#areas/tenancy/console/index.ts'
import users from '#areas/users/console/index.ts'
import visualiser from '#areas/visualiser/console/index.ts'
import type { Face } from '#core/console/show.ts'

export const faces: readonly Face[] = [
  audit,
  tenancy,
  mail,
  roles,
  users,
  sessions,
  keys,
  authorities,
  templates,
  licensing,
  archive,
  bulk,
  certificates,
  enrolment,
  portal,
  revocation,
  renewal,
  imports,
  decoder,
  search,
  visualiser,
  reporting,
  health,
  jobs,
  preferences,
  home,
  setup,
]

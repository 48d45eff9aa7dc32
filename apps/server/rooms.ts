// The rooms' servers, ground floor first.

import approvals from '#areas/approvals/server/index.ts'
import archive from '#areas/archive/server/index.ts'
import audit from '#areas/audit/server/index.ts'
import authorities from '#areas/authorities/server/index.ts'
import bulk from '#areas/bulk/server/index.ts'
import certificates from '#areas/certificates/server/index.ts'
import decoder from '#areas/decoder/server/index.ts'
import enrolment from '#areas/enrolment/server/index.ts'
import health from '#areas/health/server/index.ts'
import home from '#areas/home/server/index.ts'
import imports from '#areas/imports/server/index.ts'
import jobs from '#areas/jobs/server/index.ts'
import keys from '#areas/keys/server/index.ts'
import licensing from '#areas/licensing/server/index.ts'
import mail from '#areas/mail/server/index.ts'
import portal from '#areas/portal/server/index.ts'
import preferences from '#areas/preferences/server/index.ts'
import renewal from '#areas/renewal/server/index.ts'
import reporting from '#areas/reporting/server/index.ts'
import revocation from '#areas/revocation/server/index.ts'
import roles from '#areas/roles/server/index.ts'
import search from '#areas/search/server/index.ts'
import sessions from '#areas/sessions/server/index.ts'
import setup from '#areas/setup/server/index.ts'
import templates from '#areas/templates/server/index.ts'
import tenancy from '#areas/tenancy/server/index.ts'
import users from '#areas/users/server/index.ts'
import visualiser from '#areas/visualiser/server/index.ts'

export const rooms = [
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
  approvals,
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

// Every permission of the product, by the name that the specification gives it, with the words that a person reads in the role editor.
// A role grants each one for screens (View), menus (Menu) and calls (api) apart.

export const permissions = {
  acmeConfiguration: 'Configure ACME',
  'access-log-search': 'Search access logs',
  alerting: 'Manage alerts',
  analyticsDashboard: 'See analytics',
  applications: 'Manage applications and API keys',
  audit: 'See the audit log',
  autoEnrollTemplateRules: 'Manage auto-enrolment',
  certApprovals: 'Approve certificate requests',
  certificateConfig: 'Manage system templates',
  certificateReport: 'See the certificate report',
  certRevokeView: 'See and approve revocations',
  certScep: 'Request by SCEP',
  certSigningRequest: 'Upload a request for a device',
  certSigningRequestUser: 'Upload a request for a user',
  certUpload: 'Upload certificates',
  certView: 'See certificates',
  changePassword: 'Change own password',
  codeSigning: 'Sign code and documents',
  collectCertificate: 'Collect certificates',
  configureK8s: 'Configure Kubernetes',
  configureSyslog: 'Configure syslog',
  configureTeSA: 'Configure locations and networks',
  cryptoGenerateKeysOnHSM: 'Generate keys on an HSM',
  cryptoListTokens: 'List HSM tokens',
  deviceAdd: 'Add devices',
  deviceEdit: 'Edit devices',
  deviceIpam: 'Manage IP addresses',
  deviceView: 'See devices',
  domainBranding: 'Manage branding',
  domainSearch: 'Report on domains',
  HSMAuthenticate: 'Authenticate to an HSM',
  HSMobjectView: 'See HSM objects',
  HSMtokenView: 'See HSM tokens',
  infrastructureConfig: 'Configure the infrastructure',
  invoiceReport: 'See the invoice report',
  manageCAs: 'Manage authorities and templates',
  manageDomains: 'Manage allowed domains',
  manageIntuneScepAuthConfiguration: 'Configure SCEP',
  manageSponsor: 'Manage sponsors',
  manageTemplateRules: 'Manage template rules',
  monitor: 'See monitoring',
  networkScanReport: 'See discovery reports',
  orgAdd: 'Add organisations',
  orgEdit: 'Edit organisations',
  orgTree: 'See the organisation tree',
  orgView: 'See organisations',
  pacsExceptions: 'See door-access exceptions',
  pacsReport: 'See the door-access report',
  pacsUserMappingRules: 'Manage door-access mapping rules',
  pEMView: 'Decode certificates and requests',
  reMidpoint: 'See the identity report',
  roleAdd: 'Add roles',
  roleEdit: 'Edit roles',
  roleView: 'See roles',
  search: 'Search records',
  searchGroupPolicy: 'See group policy',
  searchTimesheets: 'Search timesheets',
  selfServicePortal: 'Use self-service',
  'siem-dashboard': 'See the SIEM dashboard',
  'siem-search': 'Search security events',
  smartcardBatchFiles: 'Download batch files',
  smartcardBatchFilesPrint: 'Print batches',
  smartcardBatchFilesPrintStatus: 'See batch printing',
  smartcardEdit: 'Edit smartcards',
  smartcardManage: 'Manage smartcards',
  smartcardReqView: 'See smartcards',
  smartcardRequest: 'Request smartcards',
  smartcardSuspendedReport: 'See suspended smartcards',
  smartcardTemporary: 'Manage temporary passes',
  sponsorAdd: 'Add sponsors',
  sponsorEdit: 'Edit sponsors',
  ssoConfig: 'Configure single sign-on',
  'sub-addServices': 'Add services',
  'sub-manageProducts': 'Manage products',
  'sub-managePaymentMethods': 'Manage payment methods',
  'sub-portal': 'Use the billing portal',
  'sub-viewInvoice': 'See invoices',
  templateDisplayOrder: 'Order templates',
  tenancyConfig: 'Configure tenancies',
  ticketAdd: 'Raise tickets',
  ticketEdit: 'Handle tickets',
  ticketView: 'See tickets',
  timesheetOverview: 'See the timesheet overview',
  uploadLECert: "Order from Let's Encrypt",
  usageReport: 'See the usage report',
  userAdd: 'Add users',
  userEdit: 'Edit users',
  userSensitiveEdit: 'Change medical details and home addresses',
  userSensitiveView: 'See medical details and home addresses',
  userView: 'See users',
  viewFidoCredentials: 'See passkeys',
  viewPendingFailedRevocations: 'See pending and failed revocations',
  viewTimesheets: 'See timesheets',
  vulnerabilityProtectionAV: 'See endpoint security',
  workflow: 'See workflow',
} as const

export type Permission = keyof typeof permissions

/**
 * Those that only let somebody see. A token with no other scope changes nothing, also not what is its owner's: whoever gave it away gave a look.
 * `certRevokeView` and `ticketView` are not among them: besides their names they approve revocations, and raise and answer tickets.
 */
export const seeingPermissions: ReadonlySet<Permission> = new Set([
  'access-log-search',
  'analyticsDashboard',
  'audit',
  'certificateReport',
  'certView',
  'cryptoListTokens',
  'deviceView',
  'domainSearch',
  'HSMobjectView',
  'HSMtokenView',
  'invoiceReport',
  'networkScanReport',
  'orgTree',
  'orgView',
  'pacsReport',
  'pEMView',
  'reMidpoint',
  'roleView',
  'search',
  'searchGroupPolicy',
  'searchTimesheets',
  'siem-dashboard',
  'siem-search',
  'smartcardBatchFilesPrintStatus',
  'smartcardReqView',
  'smartcardSuspendedReport',
  'sub-viewInvoice',
  'timesheetOverview',
  'usageReport',
  'userSensitiveView',
  'userView',
  'viewFidoCredentials',
  'viewPendingFailedRevocations',
  'viewTimesheets',
] satisfies Permission[])

/** Who may: a permission, anyone signed in, or anyone at all. */
export type Needs = Permission | 'signedIn' | 'public'

export const isPermission = (name: string): name is Permission => Object.hasOwn(permissions, name)

/** What a signed-in person or program may do, as the specification's viewer object carries it. */
export type ViewerPermission = {
  View: string[]
  Menu: string[]
  /** Those of the menu whose screens open, too: the navigation shows no others. */
  activeMenu: string[]
  api: string[]
  roles: string[]
  isManager: boolean
}

export const noPermission: ViewerPermission = { View: [], Menu: [], activeMenu: [], api: [], roles: [], isManager: false }

/** A part that is missing is an empty list, or false. */
export const wholePermission = (
  sent: { [K in keyof ViewerPermission]?: ViewerPermission[K] | null } | null | undefined,
): ViewerPermission => ({
  View: sent?.View ?? [],
  Menu: sent?.Menu ?? [],
  activeMenu: sent?.activeMenu ?? [],
  api: sent?.api ?? [],
  roles: sent?.roles ?? [],
  isManager: sent?.isManager ?? false,
})

/** Whether a list of granted names satisfies a need; `signedIn` and `public` need no name. */
export const satisfies = (granted: readonly string[], needs: Needs): boolean =>
  needs === 'public' || needs === 'signedIn' || granted.includes(needs)

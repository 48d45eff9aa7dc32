// The permissions in groups, so that the editor's table can be read. Every permission stands in exactly one.

import type { Permission } from '#core/contract/permissions.ts'

export const permissionGroups: readonly { key: string; label: string; names: readonly Permission[] }[] = [
  {
    key: 'certificates',
    label: 'Certificates',
    names: ['search', 'certView', 'certSigningRequest', 'certSigningRequestUser', 'certUpload', 'certApprovals', 'certRevokeView', 'viewPendingFailedRevocations', 'collectCertificate', 'certScep', 'uploadLECert', 'pEMView', 'certificateReport'],
  },
  { key: 'pki', label: 'PKI & keys', names: ['manageCAs', 'certificateConfig', 'manageTemplateRules', 'autoEnrollTemplateRules', 'templateDisplayOrder', 'cryptoListTokens', 'cryptoGenerateKeysOnHSM', 'HSMAuthenticate', 'HSMtokenView', 'HSMobjectView', 'codeSigning'] },
  { key: 'identities', label: 'People and roles', names: ['userView', 'userAdd', 'userEdit', 'roleView', 'roleAdd', 'roleEdit', 'orgView', 'orgAdd', 'orgEdit', 'orgTree', 'sponsorAdd', 'sponsorEdit', 'manageSponsor', 'reMidpoint', 'searchGroupPolicy'] },
  { key: 'self', label: 'Own account', names: ['selfServicePortal', 'changePassword'] },
  {
    key: 'cards',
    label: 'Smartcards and passkeys',
    names: ['smartcardReqView', 'smartcardRequest', 'smartcardEdit', 'smartcardManage', 'smartcardTemporary', 'smartcardSuspendedReport', 'smartcardBatchFiles', 'smartcardBatchFilesPrint', 'smartcardBatchFilesPrintStatus', 'viewFidoCredentials'],
  },
  { key: 'devices', label: 'Devices and networks', names: ['deviceView', 'deviceAdd', 'deviceEdit', 'deviceIpam', 'manageDomains', 'domainSearch', 'networkScanReport', 'vulnerabilityProtectionAV'] },
  { key: 'physical', label: 'Physical access', names: ['pacsExceptions', 'pacsUserMappingRules', 'pacsReport', 'configureTeSA'] },
  { key: 'operate', label: 'Operation', names: ['audit', 'access-log-search', 'siem-dashboard', 'siem-search', 'alerting', 'monitor', 'applications', 'usageReport', 'analyticsDashboard', 'workflow'] },
  { key: 'support', label: 'Support and time', names: ['ticketView', 'ticketAdd', 'ticketEdit', 'timesheetOverview', 'searchTimesheets', 'viewTimesheets'] },
  { key: 'billing', label: 'Billing', names: ['sub-portal', 'sub-manageProducts', 'sub-addServices', 'sub-managePaymentMethods', 'sub-viewInvoice', 'invoiceReport'] },
  { key: 'settings', label: 'Settings', names: ['tenancyConfig', 'infrastructureConfig', 'domainBranding', 'ssoConfig', 'configureSyslog', 'configureK8s', 'acmeConfiguration', 'manageIntuneScepAuthConfiguration'] },
]

import { IconCertificate, IconChecklist, IconFileCheck, IconTag, IconX } from '@tabler/icons-react'
import { lazy as lazyPart } from 'react'
import { bulkActionSlot } from '#areas/bulk/bulk-actions.tsx'
import type { certificates } from '#areas/certificates/contract.ts'
import { chunkFailed } from '#core/console/chunks.ts'
import { lazy, show } from '#core/console/show.ts'
import { firstSteps, homePanels, selfActions, selfTabs, selfTasks, workKinds, workWaiting } from '#core/console/slots.ts'
import { t } from '#core/console/text.ts'
import { offer } from '#core/contract/slots.ts'

const affected = ['certificates', 'approvals', 'home'] as const

const view = lazy(() => import('./ViewCertificate.tsx'))

export default show<typeof certificates>(
  'certificates',
  {
    collect: lazy(() => import('./CollectCertificate.tsx')),
    view,
    viewOfCa: view,
    compare: lazy(() => import('./CompareCertificates.tsx')),
    approvals: lazy(() => import('./Approvals.tsx')),
    approval: lazy(() => import('./Approval.tsx')),
    add: lazy(() => import('./AddCertificate.tsx')),
    own: lazy(() => import('./MyCertificates.tsx')),
    mine: lazy(() => import('./MyRequestsPage.tsx')),
    uploadForUser: lazy(() => import('./UploadForUser.tsx')),
    uploadForDevice: lazy(() => import('./UploadForDevice.tsx')),
  },
  {
    lists: { certificate: lazy(() => import('./CertificateList.tsx')) },
    offers: [
      offer(bulkActionSlot, {
        action: 'certificates.decide',
        list: 'certificates.waiting',
        label: () => t('Decide on requests'),
        icon: IconChecklist,
        invalidates: affected,
        texts: () => import('./many-requests.tsx').then(({ decideTexts }) => decideTexts),
      }),
      offer(bulkActionSlot, {
        action: 'certificates.withdraw',
        list: 'certificates.mine',
        label: () => t('Withdraw requests'),
        icon: IconX,
        danger: true,
        invalidates: affected,
        texts: () => import('./many-requests.tsx').then(({ withdrawTexts }) => withdrawTexts),
      }),

      offer(bulkActionSlot, {
        action: 'certificates.assign',
        list: 'certificates.inventory',
        label: () => t('Owner and tags'),
        needs: 'certUpload',
        icon: IconTag,
        invalidates: ['certificates'],
        texts: () => import('./assign-many.tsx').then(({ assignTexts }) => assignTexts),
      }),
      offer(firstSteps, async () => (await import('./first-steps.ts')).steps),
      offer(workKinds, async () => (await import('./work-kinds.ts')).workOfThisRoom),
      offer(workWaiting, async () => (await import('./waiting-work.ts')).waitingWork),
      offer(
        homePanels,
        { key: 'keys', title: 'Keys to collect', order: 10, load: lazy(() => import('./WaitingKeys.tsx')) },
        {
          key: 'pictures',
          title: 'Certificates in figures',
          needs: 'certView',
          wide: true,
          order: 60,
          load: lazy(() => import('./CertificatePictures.tsx')),
        },
        {
          key: 'waiting',
          title: 'Waiting for my approval',
          needs: 'certApprovals',
          order: 20,
          load: lazy(() => import('./WaitingApprovals.tsx')),
        },
        { key: 'requests', title: 'My requests', order: 40, load: lazy(() => import('./RecentRequests.tsx')) },
        { key: 'ask', title: 'Ask for a certificate', order: 45, load: lazy(() => import('./CanAsk.tsx')) },
      ),
      offer(selfTabs, {
        key: 'certificates',
        label: 'Certificates',
        area: 'certificates',
        screen: 'own',
        order: 20,
        icon: IconCertificate,
      }),
      offer(selfTasks, {
        key: 'certificates',
        order: 10,
        load: lazyPart(() => import('./CertificateTasks.tsx').then((file) => ({ default: file.CertificateTasks }), chunkFailed)),
      }),
      offer(
        selfActions,
        {
          key: 'ask',
          says: 'I need a certificate',
          area: 'certificates',
          screen: 'add',
          params: { entity: 'user' },
          order: 10,
          icon: IconCertificate,
        },
        {
          key: 'requests',
          says: 'What became of my requests?',
          area: 'certificates',
          screen: 'mine',
          order: 15,
          icon: IconFileCheck,
        },
      ),
    ],
    help: () => import('./help.md?raw'),
  },
)

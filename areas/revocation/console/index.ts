import { IconBan, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { lazy as lazyPart } from 'react'
import { authorityActionSlot, authorityPartSlot, furtherActionSlot } from '#areas/authorities/authority-parts.ts'
import { bulkActionSlot } from '#areas/bulk/bulk-actions.tsx'
import { certificateActionSlot, certificateLinkSlot } from '#areas/certificates/certificate-actions.ts'
import { certificatePartSlot } from '#areas/certificates/certificate-parts.ts'
import { certificateSlot } from '#areas/certificates/certificate-slot.tsx'
import type { revocation } from '#areas/revocation/contract.ts'
import { lazy, show } from '#core/console/show.ts'
import { homePanels, workKinds, workWaiting } from '#core/console/slots.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { offer } from '#core/contract/slots.ts'
import { holdAction, releaseAction, revokeAction, revokeAuthorityPath, revokeOwnPath } from '../early-paths.ts'

const revoke = lazy(() => import('./RevokeCertificate.tsx'))
const viewPending = lazy(() => import('./ViewRevocation.tsx'))

export default show<typeof revocation>(
  'revocation',
  {
    revoke,
    revokeOfCa: revoke,
    revokeOwn: revoke,
    revokeAuthority: lazy(() => import('./RevokeAuthority.tsx')),
    revocations: lazy(() => import('./Revocations.tsx')),
    drills: lazy(() => import('./Drills.tsx')),
    drill: lazy(() => import('./Drill.tsx')),
    searchPending: lazy(() => import('./PendingRevocations.tsx')),
    viewPending,
    viewPendingOfCa: viewPending,
  },
  {
    offers: [
      offer(certificatePartSlot, { key: 'waiting', load: certificateSlot(() => import('./WaitingNote.tsx')) }),
      offer(certificatePartSlot, { key: 'siblings', load: certificateSlot(() => import('./Siblings.tsx')) }),
      offer(certificatePartSlot, {
        key: 'hold',
        place: 'onHold',
        load: certificateSlot(() => import('./HoldFacts.tsx').then(({ HoldFacts }) => ({ HoldFacts }))),
      }),
      offer(certificatePartSlot, {
        key: 'revoked',
        place: 'revoked',
        load: certificateSlot(() => import('./HoldFacts.tsx').then(({ RevokedFacts }) => ({ RevokedFacts }))),
      }),
      offer(bulkActionSlot, {
        action: revokeAction,
        list: 'certificates.inventory',
        label: () => t('Revoke certificates'),
        icon: IconBan,
        danger: true,
        invalidates: ['certificates', 'revocation', 'home'],
        texts: () => import('./revoke-many.tsx').then(({ revokeTexts }) => revokeTexts),
      }),
      offer(bulkActionSlot, {
        action: holdAction,
        list: 'certificates.inventory',
        label: () => t('Put on hold'),
        icon: IconPlayerPause,
        invalidates: ['certificates', 'revocation', 'home'],
        texts: () => import('./hold-many.tsx').then(({ holdTexts }) => holdTexts),
      }),
      offer(bulkActionSlot, {
        action: releaseAction,
        list: 'certificates.inventory',
        label: () => t('Release from hold'),
        needs: 'certRevokeView',
        icon: IconPlayerPlay,
        invalidates: ['certificates', 'revocation', 'home'],
        texts: () => import('./hold-many.tsx').then(({ releaseTexts }) => releaseTexts),
      }),
      offer(authorityPartSlot, {
        key: 'publication',
        load: lazyPart(() => import('./Publication.tsx').then(({ Publication }) => ({ default: Publication }))),
      }),
      offer(authorityPartSlot, {
        key: 'uploaded',
        tab: 'offline',
        load: lazyPart(() => import('./UploadedList.tsx').then(({ UploadedList }) => ({ default: UploadedList }))),
      }),
      offer(authorityActionSlot, {
        key: 'revoke',
        label: () => t('Revoke authority'),
        icon: IconBan,
        to: (caId) => to({ path: revokeAuthorityPath }, { id: caId }),
        danger: true,
      }),
      offer(
        furtherActionSlot,
        lazyPart(() => import('./RevokeFurther.tsx').then(({ RevokeFurther }) => ({ default: RevokeFurther }))),
      ),
      offer(certificateActionSlot, { key: 'hold', load: certificateSlot(() => import('./HoldAction.tsx')) }),
      offer(certificateLinkSlot, {
        key: 'revoke',
        label: () => t('Revoke certificate'),
        danger: true,
        to: ({ certificateId, caId, status }) =>
          caId === undefined || status === 'revoked' || status === 'expired'
            ? undefined
            : to({ path: revokeOwnPath }, { certId: certificateId }),
      }),
      offer(certificateActionSlot, { key: 'revoke', load: certificateSlot(() => import('./RevokeAction.tsx')) }),

      offer(workKinds, async () => (await import('./work-kinds.ts')).workOfThisRoom),
      offer(workWaiting, async () => (await import('./waiting-work.ts')).waitingWork),
      offer(homePanels, {
        key: 'lists',
        title: 'Revocation lists',
        intro: 'How fresh what the world reads is',
        needs: 'certRevokeView',
        order: 80,
        load: lazy(() => import('./ListFreshness.tsx')),
      }),
    ],
    help: () => import('./help.md?raw'),
  },
)

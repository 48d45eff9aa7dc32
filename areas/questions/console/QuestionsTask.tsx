// In self-service: who has no secret questions yet is asked to set them, with urgency where the tenancy wants them.

import { IconMessageQuestion } from '@tabler/icons-react'
import { useBootstrap } from '#core/console/bootstrap.ts'
import { TaskLink } from '#core/console/kit/TaskLink.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { questions } from '../contract.ts'
import { noVersion } from '../rules.ts'

export function QuestionsTask() {
  const wanted = useBootstrap().tenancy.cmsRequireSelfServiceSecretQuestionsSet === true
  const { data } = useCall(questions.calls.read, {})
  if (data?.version !== noVersion) return null
  return (
    <TaskLink
      icon={IconMessageQuestion}
      urgent={wanted}
      says={t('Set your secret questions')}
      why={
        wanted
          ? t('Your organisation wants them before it issues a smartcard to you.')
          : t('Their answers help you back in when you have forgotten your password.')
      }
      to={to(questions.screens.mine)}
    />
  )
}

/** One row of the conversation: it listens to its own card and to nothing else. */
import { lazy, memo, Suspense, useSyncExternalStore } from "react";
import { ArtifactCard } from "../cards/ArtifactCard.tsx";
import { AssistantMessage } from "../cards/AssistantMessage.tsx";
import { FileCard } from "../cards/FileCard.tsx";
import { NoticeLine, OpaqueLine, StatusLine } from "../cards/Lines.tsx";
import { ReasoningCard } from "../cards/ReasoningCard.tsx";
import type { RunActions } from "../cards/RunCard.tsx";
import { TerminalCard } from "../cards/TerminalCard.tsx";
import { ToolCard } from "../cards/ToolCard.tsx";
import { type MessageActions, UserMessage } from "../cards/UserMessage.tsx";
import type { Card } from "../stream/cards.ts";
import type { ThreadStore } from "../stream/thread-store.ts";
import { Boundary } from "../ui/Boundary.tsx";

// Most people never trade.
const ApprovalCard = lazy(async () => ({
  default: (await import("../cards/ApprovalCard.tsx")).ApprovalCard,
}));
const QuestionCard = lazy(async () => ({
  default: (await import("../cards/QuestionCard.tsx")).QuestionCard,
}));
const RunCard = lazy(async () => ({ default: (await import("../cards/RunCard.tsx")).RunCard }));
const RoutineCard = lazy(() => import("../cards/RoutineCard.tsx"));

export type CardActions = MessageActions & RunActions;

export function CardView({ card, actions }: { card: Card; actions: CardActions }) {
  switch (card.kind) {
    case "user":
      return card.routine === null ? (
        <UserMessage record={card} actions={actions} />
      ) : (
        <Suspense>
          <RoutineCard record={card} routine={card.routine} />
        </Suspense>
      );
    case "assistant":
      return <AssistantMessage record={card} actions={actions} />;
    case "reasoning":
      return <ReasoningCard record={card} />;
    case "terminal":
      return <TerminalCard record={card} />;
    case "file":
      return <FileCard record={card} />;
    case "artifact":
      return <ArtifactCard record={card} />;
    case "tool":
      return <ToolCard record={card} />;
    case "question":
      return (
        <Suspense>
          <QuestionCard record={card} actions={actions} />
        </Suspense>
      );
    case "approval":
      return (
        <Suspense>
          <ApprovalCard record={card} />
        </Suspense>
      );
    case "run":
      return (
        <Suspense>
          <RunCard record={card} actions={actions} />
        </Suspense>
      );
    case "status":
      return <StatusLine record={card} />;
    case "notice":
      return <NoticeLine record={card} />;
    case "opaque":
      return <OpaqueLine record={card} />;
  }
}

interface RowProps {
  store: ThreadStore;
  id: string;
  actions: CardActions;
}

export const Row = memo(function Row({ store, id, actions }: RowProps) {
  const card = useSyncExternalStore(
    (listener) => store.onCard(id, listener),
    () => store.card(id),
  );
  return card === undefined ? null : (
    <Boundary>
      <CardView card={card} actions={actions} />
    </Boundary>
  );
});

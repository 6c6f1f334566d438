/** Routines, one function for each thing that can be done with them. Loaded with the pages that do. */
import type {
  Routine,
  RoutineCreate,
  RoutineDraft,
  RoutineFiring,
  RoutineHistory,
  RoutineList,
  RoutineSettings,
  RoutineTimes,
} from "../contracts.ts";
import { ask } from "./http.ts";
import { at } from "./whose.ts";

export const getRoutines = () => ask<RoutineList>("GET", at("routines"));
export const createRoutine = (body: RoutineCreate) => ask<Routine>("POST", at("routines"), body);
export const changeRoutine = (id: string, body: RoutineSettings) =>
  ask<Routine>("PUT", at("routines", id), body);
export const deleteRoutine = (id: string) => ask<void>("DELETE", at("routines", id));
export const pauseRoutine = (id: string) => ask<Routine>("POST", at("routines", id, "pause"));
export const resumeRoutine = (id: string) => ask<Routine>("POST", at("routines", id, "resume"));
export const runRoutine = (id: string, clientId: string) =>
  ask<RoutineFiring>("POST", at("routines", id, "runs"), { client_id: clientId });
export const routineTimes = (draft: RoutineDraft) =>
  ask<RoutineTimes>("POST", at("routines", "times"), draft);
export const getRoutineHistory = (id: string, before?: number) =>
  ask<RoutineHistory>(
    "GET",
    before === undefined
      ? at("routines", id, "history")
      : `${at("routines", id, "history")}?before=${before}`,
  );

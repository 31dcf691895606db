#!/usr/bin/env python3
"""Write an export of Apple Health as a phone and a watch make it, with its malformed declaration.

About 500 bytes a record: a million records are 500 MB. Most are measurements; there are some thirty sleep records a
night and four workouts a week. The same arguments give the same bytes.
"""

import argparse
import random
import sys
from datetime import datetime, timedelta, timezone

DECLARATION = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE HealthData [
<!-- HealthKit Export Version: 14 -->
<!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout|ActivitySummary|ClinicalRecord)*)>
<!ATTLIST HealthData
  locale CDATA #REQUIRED
>
<!ATTLIST Record
  type          CDATA #REQUIRED
  device        CDATA #IMPLIED
>
  startDate     CDATA #REQUIRED
]>
<HealthData locale="en_US">
 <ExportDate value="2026-03-01 08:00:00 +0100"/>
 <Me HKCharacteristicTypeIdentifierBloodType="HKBloodTypeNotSet"/>
"""
DEVICE = (
    "&lt;&lt;HKDevice: 0x3015d8c30&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,2, "
    "software:10.3.1, creation date:2024-02-01 09:31:12 +0000&gt;"
)
MEASUREMENTS = (
    ("HeartRate", "count/min"), ("StepCount", "count"), ("DistanceWalkingRunning", "km"),
    ("ActiveEnergyBurned", "kcal"), ("BasalEnergyBurned", "kcal"), ("PhysicalEffort", "kcal/hr·kg"),
)
STAGES = ("AsleepCore", "AsleepDeep", "AsleepCore", "AsleepREM", "AsleepCore", "Awake")
WORKOUTS = ("Running", "Cycling", "Walking", "TraditionalStrengthTraining", "Yoga")
ZONE = timezone(timedelta(hours=1))


def stamp(moment):
    return moment.strftime("%Y-%m-%d %H:%M:%S +0100")


def record(kind, start, end, value, unit=None):
    unit = f' unit="{unit}"' if unit else ""
    return (
        f' <Record type="{kind}" sourceName="Ada’s Apple Watch" sourceVersion="10.3.1" device="{DEVICE}"{unit} '
        f'creationDate="{stamp(end)}" startDate="{stamp(start)}" endDate="{stamp(end)}" value="{value}"'
    )


def night(random, day):
    moment = day + timedelta(hours=22, minutes=random.randrange(120))
    begin = moment
    for index in range(28):
        end = moment + timedelta(seconds=random.randrange(120, 1800))
        stage = STAGES[index % len(STAGES)]
        yield record("HKCategoryTypeIdentifierSleepAnalysis", moment, end, "HKCategoryValueSleepAnalysis" + stage) + "/>\n"
        moment = end
    yield record("HKCategoryTypeIdentifierSleepAnalysis", begin, moment, "HKCategoryValueSleepAnalysisInBed") + "/>\n"


def workout(random, day):
    start = day + timedelta(hours=17, minutes=random.randrange(120))
    end = start + timedelta(minutes=random.randrange(20, 90))
    return (
        f' <Workout workoutActivityType="HKWorkoutActivityType{random.choice(WORKOUTS)}" duration="{(end - start).seconds / 60}" '
        f'durationUnit="min" sourceName="Ada’s Apple Watch" sourceVersion="10.3.1" device="{DEVICE}" '
        f'creationDate="{stamp(end)}" startDate="{stamp(start)}" endDate="{stamp(end)}">\n'
        '  <MetadataEntry key="HKTimeZone" value="Europe/Berlin"/>\n'
        f'  <WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" startDate="{stamp(start)}" '
        f'endDate="{stamp(end)}" sum="{random.randrange(100, 900)}" unit="kcal"/>\n </Workout>\n'
    )


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("records", type=int, help="how many records there are")
    arguments.add_argument("output", help="the file to write")
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    generator = random.Random(options.seed)
    day = datetime(2019, 1, 1, tzinfo=ZONE)
    written = 0
    with open(options.output, "w", encoding="utf-8", newline="\n") as file:
        file.write(DECLARATION)
        while written < options.records:
            lines = list(night(generator, day))
            if day.weekday() in (0, 2, 4, 6):
                lines.append(workout(generator, day))
            moment = day
            for _ in range(330):
                kind, unit = generator.choice(MEASUREMENTS)
                end = moment + timedelta(seconds=generator.randrange(1, 240))
                value = generator.randrange(1, 20_000) / 100
                line = record("HKQuantityTypeIdentifier" + kind, moment, end, value, unit)
                if kind == "HeartRate":
                    line += '>\n  <MetadataEntry key="HKMetadataKeyHeartRateMotionContext" value="1"/>\n </Record>\n'
                else:
                    line += "/>\n"
                lines.append(line)
                moment = end
            lines = lines[: options.records - written]
            file.writelines(lines)
            written += len(lines)
            day += timedelta(days=1)
        file.write("</HealthData>\n")


if __name__ == "__main__":
    sys.exit(main())

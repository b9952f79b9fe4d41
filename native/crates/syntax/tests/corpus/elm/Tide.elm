port module Tide exposing (Model, Msg(..), Reading, init, update, view)

{-| The page that shows the tide.

@docs Model, Msg, init, update, view

-}

import Browser
import Dict exposing (Dict)
import Html exposing (Html, div, text)
import Html.Attributes as Attr exposing (class)
import Html.Events exposing (..)
import Json.Decode as Decode exposing (Decoder)


{-| One reading of one gauge.
-}
type alias Reading =
    { station : String
    , level : Float
    }


type alias Model =
    { readings : Dict String Reading
    , failed : Maybe String
    }


type Msg
    = Arrived (Result String Reading)
    | Chosen String
    | Reset


port readings : (Decode.Value -> msg) -> Sub msg


port keep : String -> Cmd msg


-- A level above this is shown in red.


floodLevel : Float
floodLevel =
    2.5


init : () -> ( Model, Cmd Msg )
init _ =
    ( { readings = Dict.empty, failed = Nothing }, Cmd.none )


{-| Takes a reading in, or remembers what failed.
-}
update : Msg -> Model -> ( Model, Cmd Msg )
update msg model =
    case msg of
        Arrived (Ok reading) ->
            let
                next =
                    Dict.insert reading.station reading model.readings
            in
            ( { model | readings = next }, keep reading.station )

        Arrived (Err problem) ->
            ( { model | failed = Just problem }, Cmd.none )

        Chosen station ->
            ( model, keep station )

        Reset ->
            init ()


view : Model -> Html Msg
view model =
    div [ class "tide" ] (List.map viewReading (Dict.values model.readings))


viewReading reading =
    div [ Attr.classList [ ( "flood", reading.level > floodLevel ) ] ]
        [ text (reading.station ++ ": " ++ String.fromFloat reading.level) ]


decoder : Decoder Reading
decoder =
    Decode.map2 Reading
        (Decode.field "station" Decode.string)
        (Decode.field "level" Decode.float)
